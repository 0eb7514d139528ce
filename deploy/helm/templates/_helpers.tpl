{{- define "journeyman.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "journeyman.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "journeyman.labels" -}}
{{ include "journeyman.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "journeyman.taskQueue" -}}
{{- if .Values.deploymentName -}}journeyman-{{ .Values.deploymentName }}{{- else -}}journeyman{{- end -}}
{{- end -}}

{{- define "journeyman.specs" -}}
{{- if eq .Values.journeys.source "image" -}}{{ .Values.journeys.path }}
{{- else if eq .Values.journeys.source "configMap" -}}/journeys
{{- else -}}/git/current/{{ .Values.journeys.git.path }}
{{- end -}}
{{- end -}}

{{- define "journeyman.inlineSecret" -}}
{{ include "journeyman.name" . }}-env
{{- end -}}

{{- define "journeyman.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "journeyman.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Replaces the pods when what they read at their start changes. */}}
{{- define "journeyman.checksums" -}}
checksum/config: {{ include (print $.Template.BasePath "/config.yaml") . | sha256sum }}
{{- if .Values.secrets.inline }}
checksum/secret: {{ toJson .Values.secrets.inline | sha256sum }}
{{- end }}
{{- end -}}

{{/* Environment of gateways and workers. */}}
{{- define "journeyman.env" -}}
- { name: TEMPORAL_ADDRESS, value: {{ .Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.temporal.namespace | quote }} }
- { name: JOURNEYMAN_CONFIG, value: /etc/journeyman/journeyman.config.yaml }
- { name: JOURNEYMAN_SPECS, value: {{ include "journeyman.specs" . | quote }} }
- { name: JOURNEYMAN_SERVER_DATA_DIR, value: /app/.journeyman }
- { name: JOURNEYMAN_LOG_FORMAT, value: json }
{{- with .Values.deploymentName }}
- { name: JOURNEYMAN_DEPLOYMENT_NAME, value: {{ . | quote }} }
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "journeyman.envFrom" -}}
{{- range .Values.secrets.env }}
- secretRef: { name: {{ . | quote }} }
{{- end }}
{{- if .Values.secrets.inline }}
- secretRef: { name: {{ include "journeyman.inlineSecret" . }} }
{{- end }}
{{- end -}}

{{- define "journeyman.mounts" -}}
- { name: config, mountPath: /etc/journeyman, readOnly: true }
- { name: data, mountPath: /app/.journeyman }
- { name: tmp, mountPath: /tmp }
{{- if eq .Values.journeys.source "configMap" }}
- { name: journeys, mountPath: /journeys, readOnly: true }
{{- else if eq .Values.journeys.source "git" }}
- { name: git, mountPath: /git, readOnly: true }
{{- end }}
{{- if .Values.secrets.files }}
- { name: secrets, mountPath: /run/secrets/journeyman, readOnly: true }
{{- end }}
{{- end -}}

{{- define "journeyman.volumes" -}}
- name: config
  configMap: { name: {{ include "journeyman.name" . }} }
- name: data
  {{- toYaml .Values.dataVolume | nindent 2 }}
- name: tmp
  emptyDir: {}
{{- if eq .Values.journeys.source "configMap" }}
- name: journeys
  configMap: { name: {{ .Values.journeys.configMap.name | default (printf "%s-journeys" (include "journeyman.name" .)) }} }
{{- else if eq .Values.journeys.source "git" }}
- name: git
  emptyDir: {}
{{- end }}
{{- with .Values.secrets.files }}
- name: secrets
  secret: { secretName: {{ . | quote }} }
{{- end }}
{{- end -}}

{{/* Fetches the journeys before the container starts. */}}
{{- define "journeyman.initContainers" -}}
{{- if eq .Values.journeys.source "git" }}
{{- with .Values.journeys.git }}
initContainers:
  - name: journeys
    image: {{ .image | quote }}
    args:
      - --one-time
      - --repo={{ required "journeys.git.repository is required" .repository }}
      - --ref={{ .ref }}
      - --root=/git
      - --link=current
    {{- if .secretName }}
    env:
      - name: GITSYNC_USERNAME
        valueFrom: { secretKeyRef: { name: {{ .secretName | quote }}, key: username } }
      - name: GITSYNC_PASSWORD
        valueFrom: { secretKeyRef: { name: {{ .secretName | quote }}, key: password } }
    {{- end }}
    securityContext:
      {{- include "journeyman.containerSecurity" $ | nindent 6 }}
    volumeMounts:
      - { name: git, mountPath: /git }
      - { name: tmp, mountPath: /tmp }
{{- end }}
{{- end }}
{{- end -}}

{{/* What pods of gateways and workers have in common; `.at` are the values of one of them. */}}
{{- define "journeyman.pod" -}}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - { name: {{ . | quote }} }
  {{- end }}
{{- end }}
{{- with .root.Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
automountServiceAccountToken: false
# Variables such as JOURNEYMAN_GATEWAY_PORT would collide with ours.
enableServiceLinks: false
securityContext:
  {{- include "journeyman.podSecurity" .root | nindent 2 }}
{{- with .at.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .at.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .at.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  {{- include "journeyman.volumes" .root | nindent 2 }}
{{- with include "journeyman.initContainers" .root | trim }}
{{ . }}
{{- end }}
{{- end -}}
