"""Kubernetes manifests and the Helm chart: valid against the schemas of Kubernetes, and as locked down as the docs say."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any, Iterator

import jsonschema
import kubernetes_validate
import yaml
from chart import Chart, ChartError
from packages import ROOT, VERSION

KUBERNETES = ROOT / "deploy/kubernetes"
CHART = ROOT / "deploy/helm/sandbox-agent"
# The oldest and the newest that the chart promises and the schemas have.
VERSIONS = ["1.27", "1.37"]

# Kinds of the agent-sandbox project. Its schemas are in no package index, so the fields are listed here.
CUSTOM = {
    "Sandbox": {"podTemplate", "volumeClaimTemplates", "service", "operatingMode", "shutdownTime", "shutdownPolicy"},
    "SandboxTemplate": {
        "podTemplate", "volumeClaimTemplates", "service", "networkPolicy", "networkPolicyManagement",
        "envVarsInjectionPolicy", "volumeClaimTemplatesPolicy",
    },
    "SandboxWarmPool": {"replicas", "sandboxTemplateRef", "ttlSecondsAfterCreated", "updateStrategy"},
    "SandboxClaim": {"warmPoolRef", "lifecycle", "ttlSecondsAfterCreated", "additionalPodMetadata", "env", "volumeClaimTemplates"},
}


def documents(text: str) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(text) if document]


def manifests() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(KUBERNETES.rglob("*.yaml")):
        for document in documents(path.read_text()):
            yield path, document


def pod_of(document: dict[str, Any]) -> dict[str, Any] | None:
    spec = document.get("spec", {})
    return (spec.get("template") or spec.get("podTemplate") or {}).get("spec")


class Deploy(unittest.TestCase):
    def valid(self, document: dict[str, Any], what: str) -> None:
        for version in VERSIONS:
            with self.subTest(what, kind=document["kind"], version=version):
                kubernetes_validate.validate(document, version, strict=True)

    def locked_down(self, pod: dict[str, Any]) -> None:
        self.assertIs(pod["automountServiceAccountToken"], False)
        self.assertIs(pod["securityContext"]["runAsNonRoot"], True)
        self.assertEqual(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
        for container in [*pod["containers"], *pod.get("initContainers", [])]:
            context = container["securityContext"]
            self.assertIs(context["readOnlyRootFilesystem"], True)
            self.assertIs(context["allowPrivilegeEscalation"], False)
            self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
        daemon = pod["containers"][0]
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"]:
            self.assertEqual(daemon[probe]["httpGet"], {"path": "/v1/health", "port": "http"})
        # The token comes from a file, never from an argument or a plain variable.
        token = {"name": "SANDBOX_AGENT_TOKEN_FILE", "value": "/run/secrets/sandbox-agent/token"}
        self.assertIn(token, daemon["env"])
        self.assertNotIn("--token", json.dumps(daemon["args"]))
        mounted = {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]}
        self.assertEqual(mounted, {"token", "data", "workspace", "home", "tmp"})

    def test_manifests(self) -> None:
        kinds = set()
        for path, document in manifests():
            kinds.add(document["kind"])
            if document["kind"] == "Kustomization":
                self.assertEqual({path.name for path in KUBERNETES.glob("*.yaml")} - {path.name}, set(document["resources"]))
            elif document["kind"] in CUSTOM:
                self.custom(document, path)
            else:
                self.valid(document, path.name)
            if pod := pod_of(document):
                self.locked_down(pod)
                for container in [*pod["containers"], *pod["initContainers"]]:
                    self.assertEqual(container["image"], f"sandbox-agent:{VERSION}")
        self.assertLessEqual({"StatefulSet", "Service", "NetworkPolicy", *CUSTOM}, kinds)

    def custom(self, document: dict[str, Any], path: Path) -> None:
        group = "agents.x-k8s.io" if document["kind"] == "Sandbox" else "extensions.agents.x-k8s.io"
        self.assertEqual(document["apiVersion"], f"{group}/v1beta1")
        self.assertLessEqual(set(document["spec"]), CUSTOM[document["kind"]])
        spec = document["spec"]
        if pod := pod_of(document):
            template = {"metadata": spec["podTemplate"]["metadata"], "spec": pod}
            # The parts that are of Kubernetes itself are valid on their own.
            stateful = {"serviceName": "x", "selector": {"matchLabels": template["metadata"]["labels"]}, "template": template}
            claims = {"volumeClaimTemplates": spec["volumeClaimTemplates"]} if "volumeClaimTemplates" in spec else {}
            self.valid({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "x"}, "spec": {**stateful, **claims}}, path.name)
        if policy := spec.get("networkPolicy"):
            complete = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"], **policy}
            self.valid({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "x"}, "spec": complete}, path.name)

    def rendered(self, **values: Any) -> dict[str, dict[str, Any]]:
        texts = Chart(CHART).render(token={"existingSecret": "my-token"}, **values)
        found = [document for name, text in texts.items() if name.endswith(".yaml") for document in documents(text)]
        for document in found:
            self.valid(document, "chart")
        return {document["kind"]: document for document in found}

    def test_chart_by_default(self) -> None:
        found = self.rendered()
        self.assertEqual(set(found), {"ServiceAccount", "Service", "StatefulSet", "NetworkPolicy"})
        pod = pod_of(found["StatefulSet"])
        self.locked_down(pod)
        self.assertEqual(pod["containers"][0]["image"], f"sandbox-agent:{VERSION}")
        self.assertEqual(pod["volumes"][0]["secret"]["secretName"], "my-token")

    def test_chart_is_the_manifests(self) -> None:
        plain = {document["kind"]: document for path, document in manifests() if path.parent == KUBERNETES}
        chart = self.rendered()
        self.assertEqual(pod_of(chart["StatefulSet"])["securityContext"], pod_of(plain["StatefulSet"])["securityContext"])
        for part in ["ports", "startupProbe", "readinessProbe", "livenessProbe", "securityContext", "resources", "volumeMounts", "env", "args"]:
            container = pod_of(plain["StatefulSet"])["containers"][0]
            self.assertEqual(pod_of(chart["StatefulSet"])["containers"][0][part], container[part], part)
        self.assertEqual(chart["NetworkPolicy"]["spec"]["egress"], plain["NetworkPolicy"]["spec"]["egress"])
        self.assertEqual(chart["NetworkPolicy"]["spec"]["ingress"], plain["NetworkPolicy"]["spec"]["ingress"])

    def test_chart_with_every_value(self) -> None:
        found = self.rendered(
            image={"repository": "registry.example/sandbox-agent", "tag": "1.2.3", "pullPolicy": "Always"},
            imagePullSecrets=[{"name": "pull"}], credentialsSecret="keys", env=[{"name": "A", "value": "b"}],
            args=[], copyAgents=False, persistence={"enabled": False}, networkPolicy={"enabled": False},
            runtimeClassName="gvisor", podAnnotations={"a": "b"}, nodeSelector={"disk": "ssd"},
            tolerations=[{"key": "agents", "operator": "Exists"}], affinity={"nodeAffinity": {}},
        )
        self.assertNotIn("NetworkPolicy", found)
        pod = pod_of(found["StatefulSet"])
        self.locked_down(pod)
        self.assertEqual(pod["runtimeClassName"], "gvisor")
        self.assertNotIn("initContainers", pod)
        self.assertEqual(pod["containers"][0]["image"], "registry.example/sandbox-agent:1.2.3")
        self.assertEqual(pod["containers"][0]["envFrom"], [{"secretRef": {"name": "keys"}}])
        self.assertNotIn("volumeClaimTemplates", found["StatefulSet"]["spec"])

    def test_chart_requires_a_token(self) -> None:
        with self.assertRaisesRegex(ChartError, "token.existingSecret is required"):
            Chart(CHART).render()

    def test_values_match_their_schema(self) -> None:
        schema = json.loads((CHART / "values.schema.json").read_text())
        values = yaml.safe_load((CHART / "values.yaml").read_text())
        jsonschema.validate(values, schema)
        self.assertEqual(set(values), set(schema["properties"]) - {"global"})
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({**values, "servcie": {}}, schema)

    def test_versions(self) -> None:
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        feature = json.loads((ROOT / "packaging/devcontainer/devcontainer-feature.json").read_text())
        self.assertEqual([chart["version"], chart["appVersion"], feature["version"]], [VERSION] * 3)


if __name__ == "__main__":
    unittest.main()
