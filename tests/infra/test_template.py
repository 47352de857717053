import pytest

from infra.local.intrinsics import TemplateError, parse
from infra.local.service import TEMPLATE
from infra.local.template import Cors, Grant, Route, Schedule, StreamTrigger, load, read

SMALL = """
Parameters:
  Level: {Type: String, Default: INFO}
Globals:
  Function:
    MemorySize: 512
    Timeout: 10
    Environment:
      Variables: {LEVEL: !Ref Level, TABLE: !Ref Things, SHARED: all}
Resources:
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      CorsConfiguration: {AllowOrigins: ["*"], AllowMethods: [GET], ExposeHeaders: [etag], MaxAge: 60}
  Secret:
    Type: AWS::SecretsManager::Secret
  Things:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}
  One:
    Type: AWS::Serverless::Function
    Properties:
      Handler: a.b.handler
      Timeout: 3
      Environment:
        Variables:
          SHARED: own
          SECRET: !Sub "{{resolve:secretsmanager:${Secret}}}"
          NAME: !Sub "x-${Things}-${Level}"
          N: 5
      Policies:
        - Statement:
            - {Effect: Allow, Action: [dynamodb:GetItem, dynamodb:PutItem], Resource: !GetAtt Things.Arn}
            - {Effect: Allow, Action: [dynamodb:Query], Resource: [!Sub "${Things.Arn}/index/due", !GetAtt Things.Arn]}
      Events:
        Get: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: get, Path: "/x/{y}"}}
        Else: {Type: HttpApi, Properties: {ApiId: !Ref Api}}
        Tick: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(2 hours)}}
        Tock: {Type: Schedule, Properties: {Schedule: rate(1 minute)}}
        Changes:
          Type: DynamoDB
          Properties:
            Stream: !GetAtt Things.StreamArn
            BatchSize: 7
            FilterCriteria: {Filters: [{Pattern: '{"eventName": ["INSERT"]}'}]}
            FunctionResponseTypes: [ReportBatchItemFailures]
            MaximumBatchingWindowInSeconds: 4
            MaximumRetryAttempts: 2
            DestinationConfig:
              OnFailure: {Type: SQS, Destination: !GetAtt Lost.Arn}
"""


@pytest.fixture(scope="module")
def small():
    return read(parse(SMALL), {}, "hush")


def test_tags_become_their_long_forms():
    text = "[!Ref A, !GetAtt A.B.C, !Sub '${A}', !Join [',', [!Ref B]], !GetAtt [A, B]]"
    assert parse(text) == [
        {"Ref": "A"},
        {"Fn::GetAtt": ["A", "B.C"]},
        {"Fn::Sub": "${A}"},
        {"Fn::Join": [",", [{"Ref": "B"}]]},
        {"Fn::GetAtt": ["A", "B"]},
    ]


def test_a_function_has_its_own_settings_over_the_shared_ones(small):
    one = small.functions["One"]
    assert (one.handler, one.memory, one.timeout) == ("a.b.handler", 512, 3)
    assert one.environment == {
        "LEVEL": "INFO",
        "TABLE": "Things",
        "SHARED": "own",
        "SECRET": "hush",
        "NAME": "x-Things-INFO",
        "N": "5",
    }


def test_parameters_replace_defaults():
    assert read(parse(SMALL), {"Level": "ERROR"}, "").functions["One"].environment["NAME"] == "x-Things-ERROR"


def test_permissions_are_read_a_statement_an_action_and_a_resource(small):
    assert small.functions["One"].grants == {
        Grant("GetItem", "Things"),
        Grant("PutItem", "Things"),
        Grant("Query", "Things"),
        Grant("Query", "Things/index/due"),
    }


def test_routes_triggers_schedules_tables_and_cors_are_read(small):
    assert small.routes == (Route("GET", "/x/{y}", "One"), Route("", "$default", "One"))
    pattern = {"eventName": ["INSERT"]}
    assert small.streams == (
        StreamTrigger(
            "One", "Things", 7, (pattern,), 3, reports_failures=True, bisects=False, on_failure="Lost", window=4
        ),
    )
    assert small.schedules == (Schedule("One", "Tick", 7200), Schedule("One", "Tock", 60))
    assert [table["TableName"] for table in small.tables] == ["Things"]
    assert small.tables[0]["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert small.cors == Cors(("*",), ("GET",), (), ("etag",), 60)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Type: ScheduleV2", "Type: SQS"),
        ("rate(2 hours)", "cron(0 12 * * * *)"),
        ("!GetAtt Things.StreamArn", "!GetAtt Api.StreamArn"),
        ("!GetAtt Things.StreamArn", "arn:aws:dynamodb:somewhere"),
        ("Type: SQS, Destination", "Type: SNS, Destination"),
        ("!Ref Things", "!Ref Nothing"),
        ("!Ref Things", "!Join ['', [a]]"),
        ("!Ref Things", "!GetAtt {a: b}"),
        ('!Sub "${Things.Arn}/index/due"', '"*"'),
        ("Effect: Allow, Action: [dynamodb:Query]", "Effect: Deny, Action: [dynamodb:Query]"),
    ],
)
def test_what_the_local_service_cannot_do_is_refused(old, new):
    assert old in SMALL
    with pytest.raises(TemplateError):
        read(parse(SMALL.replace(old, new)), {}, "")


def test_the_template_of_the_project_is_read_with_every_handler_a_function_module():
    stack = load(TEMPLATE, secret="hush")
    assert {function.handler.split(".")[0] for function in stack.functions.values()} == {"functions"}
    assert {function.environment["SERVICE_SECRET"] for function in stack.functions.values()} == {"hush"}
    assert {route.function for route in stack.routes} <= set(stack.functions)
