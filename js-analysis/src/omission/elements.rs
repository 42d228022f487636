//! What a browser calls of a custom element.

/// Whether a method of this name is one that a browser calls of a custom element.
pub(super) fn is_reaction_of_element(name: &str) -> bool {
    matches!(
        name,
        "connectedCallback"
            | "disconnectedCallback"
            | "adoptedCallback"
            | "connectedMoveCallback"
            | "attributeChangedCallback"
            | "formAssociatedCallback"
            | "formDisabledCallback"
            | "formResetCallback"
            | "formStateRestoreCallback"
    )
}
