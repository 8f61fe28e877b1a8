use super::*;

const BASE: &str = "kind: Namespace\nmetadata:\n  name: portolan\n---\nkind: Thing\nmetadata:\n  \
                    labels:\n    a: b\n  name: one\n  namespace: portolan\nspec:\n  image: portolan:1\n";

/// Returns the rendered base with each of the choices. Only the choices in `changed` change the
/// base.
fn with(base: &str, changed: &[(&str, &str)]) -> Vec<String> {
    let rendered = CHOICES.iter().map(|choice| {
        let names = choice.components();
        let mut changed = changed.iter().filter(|(name, _)| names.contains(name));
        changed
            .next_back()
            .map_or(base, |(_, text)| text)
            .to_owned()
    });
    rendered.collect()
}

#[test]
fn choices_of_an_installation_become_chart_values() {
    let text = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  \
                labels:\n    {{- include \"portolan.labels\" $ | nindent 4 }}\n    a: b\n  name: one\n  namespace: {{ .Release.Namespace | quote }}\nspec:\n  \
                image: {{ include \"portolan.image\" $ }}\n";
    let template = ("thing-one.yaml".to_owned(), text.to_owned());
    assert_eq!(templates(BASE, &with(BASE, &[])), [template]);
}

#[test]
fn additions_of_components_become_choices() {
    let base = "kind: Thing\nmetadata:\n  name: one\nargs:\n- a\n- b";
    let certificates = "kind: Thing\nmetadata:\n  name: one\nargs:\n- a\n- b\n- d";
    let plans = "kind: Thing\nmetadata:\n  name: one\nargs:\n- a\n- b\n- c\n---\n\
                kind: CustomResourceDefinition\nmetadata:\n  name: two";
    let one = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  labels:\n    {{- include \"portolan.labels\" $ | nindent 4 }}\n  name: one\n\
               args:\n- a\n- b\n{{- if include \"portolan.on\" (list $ \"certificates\") }}\n- d\n{{- end }}\n\
               {{- if include \"portolan.on\" (list $ \"plans\") }}\n- c\n{{- end }}\n";
    let two = "{{- if include \"portolan.on\" (list $ \"plans\") }}\n\
               # Written from deploy/overlays/plans; not to be edited.\nkind: CustomResourceDefinition\nmetadata:\n  \
               annotations:\n    helm.sh/resource-policy: keep\n  labels:\n    {{- include \"portolan.labels\" $ | nindent 4 }}\n  name: two\n{{- end }}\n";
    let expected = [
        ("thing-one.yaml", one),
        ("customresourcedefinition-two.yaml", two),
    ];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let with = with(base, &[("certificates", certificates), ("plans", plans)]);
    assert_eq!(templates(base, &with), expected);
}

#[test]
fn additions_to_a_component_become_nested_choices() {
    let base = "kind: Thing\nmetadata:\n  name: one";
    let webhook = "kind: Thing\nmetadata:\n  name: one\n---\n\
                   kind: Thing\nmetadata:\n  name: two\nargs:\n- a";
    let v2alpha1 = "kind: Thing\nmetadata:\n  name: one\nargs:\n- c\n---\n\
                    kind: Thing\nmetadata:\n  name: two\nargs:\n- a\n- b";
    let one = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  labels:\n    {{- include \"portolan.labels\" $ | nindent 4 }}\n  name: one\n\
               {{- if include \"portolan.on\" (list $ \"v2alpha1\") }}\nargs:\n- c\n{{- end }}\n";
    let two = "{{- if include \"portolan.on\" (list $ \"webhook\") }}\n\
               # Written from deploy/overlays/webhook; not to be edited.\nkind: Thing\nmetadata:\n  labels:\n    {{- include \"portolan.labels\" $ | nindent 4 }}\n  name: two\n\
               args:\n- a\n{{- if include \"portolan.on\" (list $ \"v2alpha1\") }}\n- b\n{{- end }}\n{{- end }}\n";
    let expected = [("thing-one.yaml", one), ("thing-two.yaml", two)];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let with = with(base, &[("webhook", webhook), ("v2alpha1", v2alpha1)]);
    assert_eq!(templates(base, &with), expected);
}

#[test]
fn each_namespace_is_enabled_for_templates() {
    let rendered =
        "kind: Role\nmetadata:\n  name: one\nsubjects:\n- name: a\n  namespace: portolan";
    let text = "{{- range .Values.templates.namespaces }}\n---\n\
                # Written from deploy/overlays/templates; not to be edited.\nkind: Role\nmetadata:\n  \
                labels:\n    {{- include \"portolan.labels\" $ | nindent 4 }}\n  namespace: {{ . | quote }}\n  name: one\nsubjects:\n- name: a\n  \
                namespace: {{ $.Release.Namespace | quote }}\n{{- end }}\n";
    let template = ("role-one.yaml".to_owned(), text.to_owned());
    assert_eq!(opening(rendered), [template]);
}

#[test]
#[should_panic(expected = "plans changes lines")]
fn changed_line_in_a_component_panics() {
    let base = "kind: Thing\nmetadata:\n  name: one\nargs: a";
    let changed = "kind: Thing\nmetadata:\n  name: one\nargs: b";
    templates(base, &with(base, &[("plans", changed)]));
}

#[test]
fn overlay_has_relative_paths_to_the_base() {
    let overlay = overlay(Path::new("/srv/deploy"), Path::new("/tmp/a"), &["plans"]);
    let expected =
        "resources: [../../srv/deploy/base]\ncomponents: [../../srv/deploy/overlays/plans]\n";
    assert_eq!(overlay, expected);
}

#[test]
fn objects_of_the_controller_depend_on_the_profile() {
    let base = "kind: Thing\nmetadata:\n  name: portolan-controller-view";
    let made = templates(base, &with(base, &[]));
    let [(_, text)] = &made[..] else {
        panic!("one template");
    };
    let begin = "{{- if include \"portolan.on\" (list $ \"controller\") }}\n";
    assert!(text.starts_with(begin) && text.ends_with(END), "{text}");
}

#[test]
fn deployments_have_the_values_of_their_component() {
    let base = "kind: Deployment\nmetadata:\n  labels:\n    app.kubernetes.io/component: health\n  name: one\n\
                spec:\n  replicas: 2\n  template:\n    metadata:\n      labels:\n        a: b\n    spec:\n      \
                containers:\n      - args:\n        - a\n        image: portolan:1\n        \
                resources:\n          limits:\n            memory: 1Gi\n        \
                volumeMounts:\n        - name: tls\n      securityContext:\n        runAsUser: 65532\n      \
                serviceAccountName: one\n      volumes:\n      - configMap:\n          name: portolan-ca\n        name: ca";
    let made = templates(base, &with(base, &[]));
    let text = &made[0].1;
    let expected = [
        "  replicas: {{ include \"portolan.replicas\" (list $ \"health\" 2) }}\n",
        "        - a\n{{- with include \"portolan.args\" (list $ \"health\") }}{{- . | nindent 8 }}{{- end }}\n\
         {{- with include \"portolan.env\" (list $ \"health\") }}\n        env:\n        {{- . | nindent 8 }}\n{{- end }}\n",
        "        resources:\n{{- with include \"portolan.resources\" (list $ \"health\") }}\n          {{- . | nindent 10 }}\n\
         {{- else }}\n          limits:\n            memory: 1Gi\n{{- end }}\n",
        "{{- if not (include \"portolan.openshift\" $) }}\n        runAsUser: 65532\n{{- end }}\n",
        "      volumes:\n{{- with include \"portolan.volumes\" (list $ \"health\") }}{{- . | nindent 6 }}{{- end }}\n      \
         {{- include \"portolan.caVolume\" $ | nindent 6 }}\n",
    ];
    for part in expected {
        assert!(text.contains(part), "{part}\nis missing in\n{text}");
    }
}

#[test]
fn profiles_leave_out_crds_and_certificates() {
    let rendered = "apiVersion: cert-manager.io/v1\nkind: Issuer\n---\nkind: CustomResourceDefinition\n---\n\
                    apiVersion: v1\nkind: Service\n";
    let expected =
        "# Written from deploy/overlays/look; not to be edited.\napiVersion: v1\nkind: Service\n";
    assert_eq!(profile("look", rendered), expected);
}
