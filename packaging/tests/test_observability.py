"""The example of `examples/observability`: files that parse, refer to each other, and watch what they say. That the metrics exist
is a test of the daemon."""

from __future__ import annotations

import json
import re
import unittest
from typing import Any

import yaml
from packages import ROOT

EXAMPLE = ROOT / "examples/observability"
SEVERITIES = {"info", "warning", "critical"}


def load(name: str) -> Any:
    return yaml.safe_load((EXAMPLE / name).read_text())


def is_balanced(expression: str) -> bool:
    """Returns whether every bracket of an expression has its partner; those in quotes do not count."""
    expression = re.sub(r'"(\\.|[^"\\])*"', '""', expression)
    partners = {")": "(", "]": "[", "}": "{"}
    opened: list[str] = []
    for sign in expression:
        if sign in partners.values():
            opened.append(sign)
        elif sign in partners and (not opened or opened.pop() != partners[sign]):
            return False
    return not opened


class Observability(unittest.TestCase):
    def test_every_file_parses(self) -> None:
        for path in EXAMPLE.rglob("*.yaml"):
            with self.subTest(path.name):
                self.assertIsInstance(yaml.safe_load(path.read_text()), dict)
        for path in EXAMPLE.rglob("*.json"):
            json.loads(path.read_text())

    def test_the_compose_file_mounts_files_that_exist(self) -> None:
        services = load("compose.yaml")["services"]
        for name, service in services.items():
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                if source.startswith("."):
                    self.assertTrue((EXAMPLE / source).exists(), f"{name} mounts {source}")
            for needed in service.get("depends_on", []):
                self.assertIn(needed, services)
            if "build" in service:
                self.assertTrue((EXAMPLE / service["build"]["context"] / service["build"]["dockerfile"]).exists())
            else:
                self.assertNotRegex(service["image"], r":latest$", f"{name} has no fixed version")

    def test_ports_are_open_to_this_machine_alone(self) -> None:
        for service in load("compose.yaml")["services"].values():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), port)

    def test_pipelines_name_components_that_are_configured(self) -> None:
        config = load("otel-collector.yaml")
        for signal in ["traces", "metrics", "logs"]:
            pipeline = config["service"]["pipelines"][signal]
            for kind in ["receivers", "processors", "exporters"]:
                for name in pipeline[kind]:
                    self.assertIn(name, config[kind], signal)
        # The daemon speaks no gRPC.
        self.assertEqual(list(config["receivers"]["otlp"]["protocols"]), ["http"])

    def test_prometheus_reads_the_daemon_with_its_token(self) -> None:
        config, compose = load("prometheus.yaml"), load("compose.yaml")
        job = config["scrape_configs"][0]
        secret = job["authorization"]["credentials_file"].removeprefix("/run/secrets/")
        self.assertIn(secret, compose["secrets"])
        self.assertIn(secret, compose["services"]["prometheus"]["secrets"])
        host = job["static_configs"][0]["targets"][0].split(":")[0]
        self.assertIn(host, compose["services"])
        mounted = [volume.split(":")[1] for volume in compose["services"]["prometheus"]["volumes"]]
        for rules in config["rule_files"]:
            self.assertIn(rules, mounted)

    def test_alerts_are_whole(self) -> None:
        rules = [rule for group in load("rules.yaml")["groups"] for rule in group["rules"]]
        self.assertEqual(len({rule["alert"] for rule in rules}), len(rules))
        for rule in rules:
            with self.subTest(rule["alert"]):
                self.assertTrue(is_balanced(rule["expr"]), rule["expr"])
                self.assertIn(rule["labels"]["severity"], SEVERITIES)
                self.assertTrue(rule["annotations"]["summary"] and rule["annotations"]["description"])
                self.assertRegex(rule.get("for", "1m"), r"^\d+m$")

    def test_panels_lie_on_the_grid_and_do_not_overlap(self) -> None:
        dashboard = json.loads((EXAMPLE / "grafana/dashboards/sandbox-agent.json").read_text())
        variables = {variable["name"] for variable in dashboard["templating"]["list"]} | {"__rate_interval"}
        taken: set[tuple[int, int]] = set()
        for panel in dashboard["panels"]:
            place = panel["gridPos"]
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
            for target in panel["targets"]:
                self.assertTrue(is_balanced(target["expr"]), target["expr"])
                self.assertLessEqual(set(re.findall(r"\$(\w+)", target["expr"])), variables)


if __name__ == "__main__":
    unittest.main()
