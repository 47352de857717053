"""CloudFormation's YAML and its intrinsic functions, as far as the template uses them.

Every resource is local and is known by its logical id, so that a reference comes to a name.
"""

import re
from collections.abc import Mapping
from typing import Any

import yaml

Properties = dict[str, Any]

_REFERENCE = re.compile(r"\$\{([^}!]+)\}")
_INDEX_ARN = re.compile(r"\$\{(\w+)\.Arn\}/index/(\w+)")


class TemplateError(Exception):
    """The template says something that the local service can't do."""


def parse(text: str) -> Properties:
    """Read YAML with CloudFormation's short tags into their long forms: `!Ref A` becomes `{"Ref": "A"}`."""
    document: Properties = yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader, with tags
    return document


class Resolver:
    """Gives the values of intrinsic functions in one template. Its methods raise `TemplateError`."""

    def __init__(self, document: Properties, parameters: Mapping[str, str], secret: str) -> None:
        self._document = document
        self._parameters = parameters
        self._secret = secret

    def text(self, value: object) -> str:
        """Give the value as an environment variable has it."""
        if isinstance(value, str | int):
            return self._dynamic(str(value))
        match value:
            case {"Ref": str(name)}:
                return self._ref(name)
            case {"Fn::Sub": str(pattern)}:
                return self._dynamic(_REFERENCE.sub(lambda found: self._ref(found[1]), pattern))
        raise TemplateError(f"the local service can't resolve {value!r}")

    def table_of_stream(self, value: object) -> str:
        """Give the table of `!GetAtt Table.StreamArn`."""
        match value:
            case {"Fn::GetAtt": [str(table), "StreamArn"]} if self._type(table) == "AWS::DynamoDB::Table":
                return table
        raise TemplateError(f"not the stream of a table of this template: {value!r}")

    def name_of_arn(self, value: object) -> str:
        """Give `Table` for `!GetAtt Table.Arn`, `Table/index/name` for `!Sub "${Table.Arn}/index/name"`."""
        match value:
            case {"Fn::GetAtt": [str(table), "Arn"]} if self._type(table) == "AWS::DynamoDB::Table":
                return table
            case {"Fn::Sub": str(pattern)} if (found := _INDEX_ARN.fullmatch(pattern)) is not None:
                self._type(found[1])
                return f"{found[1]}/index/{found[2]}"
        raise TemplateError(f"no table or index of this template: {value!r}")

    def _ref(self, name: str) -> str:
        if name in self._parameters:
            return self._parameters[name]
        if (parameter := self._document.get("Parameters", {}).get(name)) is not None:
            return str(parameter["Default"])
        self._type(name)
        return name

    def _type(self, name: str) -> str:
        resource = self._document["Resources"].get(name)
        if resource is None:
            raise TemplateError(f"no such resource: {name}")
        return str(resource["Type"])

    def _dynamic(self, text: str) -> str:
        # Local resources are known by their logical ids, so a secret's reference names one.
        return self._secret if text.startswith("{{resolve:secretsmanager:") else text


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with CloudFormation's tags."""


def _tagged(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
        if suffix == "GetAtt":
            value = value.split(".", 1)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        raise TemplateError(f"!{suffix} takes no mapping")
    return {"Ref" if suffix == "Ref" else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _tagged)
