//! How an element is hidden.

use dom_query::NodeRef;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    /// As scripts hide what a control opens.
    Closed,
    /// So that no reader sees it, though it is shown.
    Unseen,
}

/// How an element is hidden by its own attributes; None if it is shown.
pub(super) fn hidden(node: &NodeRef) -> Option<Hidden> {
    if node.attr("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found")) {
        return Some(Hidden::Closed);
    }
    if node.attr("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true")) {
        return Some(Hidden::Closed);
    }
    let style = node.attr("style")?.to_ascii_lowercase();
    let rules: Vec<_> =
        style.split(';').filter_map(|rule| rule.split_once(':')).map(|(n, v)| (n.trim(), value(v))).collect();
    let has = |test: fn(&str, &str) -> bool| rules.iter().any(|(name, value)| test(name, value));
    let of =
        |wanted: &[&str]| rules.iter().rev().find(|(name, _)| wanted.contains(name)).map(|(_, value)| value);
    let color = of(&["color"]);
    let is_of_its_ground = color.is_some() && color == of(&["background", "background-color"]);
    if has(is_closed) {
        Some(Hidden::Closed)
    } else if is_of_its_ground
        || has(is_unseen)
        || (has(is_transparent) && !has(is_animated) && !node.has_attr("data-w-id"))
    {
        Some(Hidden::Unseen)
    } else {
        None
    }
}

/// A value without what does not change it.
fn value(value: &str) -> String {
    let value: String = value.chars().filter(|c| !c.is_whitespace()).collect();
    value.strip_suffix("!important").map_or_else(|| value.clone(), str::to_owned)
}

fn is_closed(name: &str, value: &str) -> bool {
    match name {
        "display" => value == "none",
        "visibility" => matches!(value, "hidden" | "collapse"),
        "content-visibility" => value == "hidden",
        "height" | "max-height" => is_nothing(value),
        _ => false,
    }
}

fn is_unseen(name: &str, value: &str) -> bool {
    match name {
        "width" | "max-width" | "font-size" => is_nothing(value),
        "left" | "right" | "top" | "bottom" | "text-indent" | "margin-left" | "margin-top" => is_far(value),
        "clip" => value.starts_with("rect(0") || value.starts_with("rect(1px"),
        "clip-path" => matches!(value, "inset(50%)" | "inset(100%)" | "circle(0)" | "polygon(000)"),
        "transform" => matches!(value, "scale(0)" | "scale(0,0)"),
        "color" => value == "transparent",
        _ => false,
    }
}

/// Whether a length is 0.
fn is_nothing(value: &str) -> bool {
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'));
    let number = &value[..value.len() - unit.len()];
    number.parse::<f64>().is_ok_and(|number| number == 0.0)
        && unit.chars().all(|c| c.is_ascii_alphabetic() || c == '%')
}

/// Whether a place is outside of the window.
fn is_far(value: &str) -> bool {
    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    let far = if value.ends_with("em") {
        -60.0
    } else if value.ends_with("px") {
        -900.0
    } else {
        -100.0
    };
    number.parse::<f64>().is_ok_and(|number| number <= far)
}

fn is_transparent(name: &str, value: &str) -> bool {
    name == "opacity" && is_nothing(value)
}

/// Whether scripts show it when it comes into the window.
fn is_animated(name: &str, _: &str) -> bool {
    matches!(
        name,
        "transform" | "-webkit-transform" | "transition" | "animation" | "animation-name" | "will-change"
    )
}
