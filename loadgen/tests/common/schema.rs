//! Holds results against docs/results.schema.json. Only the keywords that it uses are known; any other is a failure,
//! so that nothing in it goes unchecked.

use std::sync::LazyLock;

use serde_json::Value;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../docs/results.schema.json")).expect("the schema is JSON")
});

/// Fails with the place and the reason where the results are not as the schema says.
pub fn assert_as_the_schema_says(results: &Value) {
    if let Err(fault) = check(&SCHEMA, results, "results") {
        panic!("{fault} (a new field belongs into docs/results.schema.json)");
    }
}

fn check(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let keywords = schema.as_object().ok_or("a schema is an object")?;
    keywords.iter().try_for_each(|(keyword, rule)| keyword_holds(keyword, rule, schema, value, at))
}

fn keyword_holds(keyword: &str, rule: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let ensure = |holds: bool| if holds { Ok(()) } else { Err(format!("{at}: {value} is not {keyword} {rule}")) };
    let entries = || value.as_object().into_iter().flatten();
    match keyword {
        "description" | "title" | "$schema" | "$defs" => Ok(()),
        "$ref" => {
            let target = rule.as_str().and_then(|rule| SCHEMA.pointer(rule.strip_prefix('#')?));
            check(target.ok_or_else(|| format!("{rule} leads nowhere"))?, value, at)
        }
        "const" => ensure(value == rule),
        "enum" => ensure(list(rule).contains(value)),
        "anyOf" => ensure(list(rule).iter().any(|schema| check(schema, value, at).is_ok())),
        "type" => ensure(match rule {
            Value::Array(types) => types.iter().any(|each| is_of_type(value, each)),
            one => is_of_type(value, one),
        }),
        "minimum" => ensure(value.as_f64().is_none_or(|number| rule.as_f64().is_some_and(|least| number >= least))),
        "minLength" => ensure(value.as_str().is_none_or(|text| text.len() as u64 >= rule.as_u64().unwrap_or(0))),
        "maxLength" => ensure(value.as_str().is_none_or(|text| text.len() as u64 <= rule.as_u64().unwrap_or(0))),
        "required" => list(rule).iter().try_for_each(|key| {
            let key = key.as_str().ok_or("required names keys")?;
            let has = value.as_object().is_none_or(|object| object.contains_key(key));
            if has { Ok(()) } else { Err(format!("{at}: `{key}` is missing")) }
        }),
        "properties" => entries().try_for_each(|(key, value)| match rule.get(key) {
            Some(schema) => check(schema, value, &format!("{at}.{key}")),
            None => Ok(()),
        }),
        "additionalProperties" => {
            let known = |key: &String| schema.get("properties").is_some_and(|properties| properties.get(key).is_some());
            entries().filter(|(key, _)| !known(key)).try_for_each(|(key, value)| match rule {
                Value::Bool(allowed) if *allowed => Ok(()),
                Value::Bool(_) => Err(format!("{at}: `{key}` is not described")),
                schema => check(schema, value, &format!("{at}.{key}")),
            })
        }
        "propertyNames" => entries().try_for_each(|(key, _)| check(rule, &Value::from(key.as_str()), at)),
        "items" => {
            let mut items = value.as_array().into_iter().flatten().enumerate();
            items.try_for_each(|(index, item)| check(rule, item, &format!("{at}[{index}]")))
        }
        other => Err(format!("keyword `{other}` of the schema is not known here")),
    }
}

fn list(rule: &Value) -> &[Value] {
    rule.as_array().map_or(&[], Vec::as_slice)
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}
