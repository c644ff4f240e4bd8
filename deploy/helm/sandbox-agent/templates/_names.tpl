{{- define "sandbox-agent.name" -}}
{{- printf "%s" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "sandbox-agent.selector" -}}
app.kubernetes.io/name: sandbox-agent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sandbox-agent.labels" -}}
{{ include "sandbox-agent.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "sandbox-agent.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
