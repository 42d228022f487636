//! Tests of the answer.
