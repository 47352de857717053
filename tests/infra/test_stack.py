"""What the deployable stack holds, so that nobody changes it unawares."""

from collections import Counter

import pytest

from infra.local.intrinsics import parse
from infra.local.service import TEMPLATE
from infra.local.template import load

DOCUMENT = parse(TEMPLATE.read_text())
RESOURCES = DOCUMENT["Resources"]
STACK = load(TEMPLATE)


def of_type(kind):
    return {name: resource for name, resource in RESOURCES.items() if resource["Type"] == kind}


FUNCTIONS = of_type("AWS::Serverless::Function")
TABLES = of_type("AWS::DynamoDB::Table")
STREAMED = {
    f"{name}/{key}": event["Properties"]
    for name, function in FUNCTIONS.items()
    for key, event in function["Properties"].get("Events", {}).items()
    if event["Type"] == "DynamoDB"
}


def test_the_stack_has_these_resources_and_no_others():
    assert Counter(resource["Type"] for resource in RESOURCES.values()) == {
        "AWS::Serverless::HttpApi": 1,
        "AWS::Serverless::Function": 14,
        "AWS::DynamoDB::Table": 4,
        "AWS::Logs::LogGroup": 15,
        "AWS::SecretsManager::Secret": 1,
        "AWS::SQS::Queue": 1,
    }


def test_functions_run_on_arm_and_the_python_that_the_bundle_is_built_for():
    shared = DOCUMENT["Globals"]["Function"]
    assert (shared["Runtime"], shared["Architectures"]) == ("python3.13", ["arm64"])
    assert "Tracing" not in shared
    for function in FUNCTIONS.values():
        assert not {"Runtime", "Architectures", "Tracing"} & set(function["Properties"])
        assert function["Metadata"] == {"BuildMethod": "makefile", "WorkingDirectory": "."}


def test_only_the_function_that_plays_is_kept_ready():
    ready = {name for name, function in FUNCTIONS.items() if "SnapStart" in function["Properties"]}
    assert ready == {"MatchesFunction"}
    properties = FUNCTIONS["MatchesFunction"]["Properties"]
    assert properties["SnapStart"] == {"ApplyOn": "PublishedVersions"}
    assert properties["AutoPublishAlias"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_has_a_log_group_that_forgets(name):
    groups = [group["Properties"] for group in of_type("AWS::Logs::LogGroup").values()]
    (group,) = [group for group in groups if group.get("LogGroupName") == {"Fn::Sub": f"/aws/lambda/${{{name}}}"}]
    assert "RetentionInDays" in group


def test_every_log_group_forgets():
    assert all("RetentionInDays" in group["Properties"] for group in of_type("AWS::Logs::LogGroup").values())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_says_which_it_is_and_has_the_settings_of_all(name):
    environment = STACK.functions[name].environment
    assert environment["POWERTOOLS_SERVICE_NAME"] == name.removesuffix("Function").lower()
    assert set(environment) == {
        "LADDER_TABLE",
        "LOG_LEVEL",
        "MATCHES_TABLE",
        "PLAYERS_TABLE",
        "POWERTOOLS_METRICS_NAMESPACE",
        "POWERTOOLS_SERVICE_NAME",
        "SERVICE_SECRET",
        "TOURNAMENTS_TABLE",
    }


def test_the_secret_is_generated_and_never_written_down():
    (secret,) = of_type("AWS::SecretsManager::Secret").values()
    assert secret["Properties"]["GenerateSecretString"]["PasswordLength"] == 64
    shared = DOCUMENT["Globals"]["Function"]["Environment"]["Variables"]
    assert shared["SERVICE_SECRET"] == {"Fn::Sub": "{{resolve:secretsmanager:${ServiceSecret}}}"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_permissions_name_actions_and_resources_without_wildcards(name):
    for policy in FUNCTIONS[name]["Properties"]["Policies"]:
        for statement in policy["Statement"]:
            assert statement["Effect"] == "Allow"
            assert all(action.startswith("dynamodb:") and "*" not in action for action in statement["Action"])
            assert "*" not in str(statement["Resource"])
    assert STACK.functions[name].grants


def test_nothing_may_scan():
    assert not {grant.action for function in STACK.functions.values() for grant in function.grants} & {
        "Scan",
        "PartiQLSelect",
        "DeleteTable",
    }


@pytest.mark.parametrize("name", TABLES)
def test_tables_outlive_the_stack_and_can_be_restored(name):
    table, properties = TABLES[name], TABLES[name]["Properties"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert "TableName" not in properties
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    for index in properties.get("GlobalSecondaryIndexes", []):
        assert index["Projection"] == {"ProjectionType": "KEYS_ONLY"}


def test_the_tables_have_these_keys():
    keys = {
        name: {
            index.get("IndexName", "table"): [key["AttributeName"] for key in index["KeySchema"]]
            for index in [table["Properties"], *table["Properties"].get("GlobalSecondaryIndexes", [])]
        }
        for name, table in TABLES.items()
    }
    assert keys == {
        "PlayersTable": {"table": ["pk", "sk"]},
        "MatchesTable": {"table": ["pk", "sk"], "lists": ["lp", "la"], "due": ["dp", "da"]},
        "LadderTable": {"table": ["pk", "sk"], "lists": ["lp", "la"], "due": ["dp", "da"]},
        "TournamentsTable": {"table": ["pk", "sk"], "lists": ["lp", "la"], "due": ["dp", "da"]},
    }


def test_at_most_two_functions_read_a_stream():
    # more would be throttled (Lambda's page on DynamoDB event sources)
    assert max(Counter(trigger.table for trigger in STACK.streams).values()) <= 2


@pytest.mark.parametrize("name", STREAMED)
def test_a_stream_is_read_with_a_filter_bounded_retries_and_a_place_for_failures(name):
    mapping = STREAMED[name]
    assert mapping["FilterCriteria"]["Filters"]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert 0 < mapping["MaximumRetryAttempts"] <= 100
    assert 60 <= mapping["MaximumRecordAgeInSeconds"] <= 86_400
    assert mapping["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": ["StreamFailures", "Arn"]}


def test_the_referee_comes_every_minute_and_so_do_the_counters_of_ranks():
    scheduled = {(schedule.function, schedule.seconds) for schedule in STACK.schedules}
    assert scheduled == {("RefereeFunction", 60), ("RankFunction", 60)}


def test_routes_are_apart_and_what_none_takes_is_answered_by_the_service():
    keys = Counter(route.key for route in STACK.routes)
    assert max(keys.values()) == 1
    assert {route.function for route in STACK.routes if route.key == "$default"} == {"PagesFunction"}
    assert all(route.path.startswith("/v1/") for route in STACK.routes if route.function != "PagesFunction")


def test_the_api_limits_its_rate_logs_its_requests_and_lets_scripts_in():
    api = RESOURCES["Api"]["Properties"]
    assert set(api["DefaultRouteSettings"]) == {"ThrottlingRateLimit", "ThrottlingBurstLimit"}
    assert api["AccessLogSettings"]["DestinationArn"] == {"Fn::GetAtt": ["ApiLogGroup", "Arn"]}
    assert STACK.cors is not None
    assert STACK.cors.origins == ("*",)
    assert set(STACK.cors.methods) >= {route.method for route in STACK.routes if route.method}
    assert {"etag", "location", "retry-after", "ratelimit", "idempotency-replayed"} <= set(STACK.cors.exposed)
    # a star does not stand for this one (Fetch, "CORS-preflight fetch")
    assert {"*", "authorization"} <= set(STACK.cors.headers)
