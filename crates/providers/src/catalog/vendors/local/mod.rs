//! Servers on this machine.
//!
//! One file for each; `vendors` joins them into one list.

mod llama_cpp;
mod lmstudio;
mod ollama;
mod vllm;

use crate::catalog::vendor::Vendor;

/// All of them.
pub(super) const ALL: &[&Vendor] =
    &[&llama_cpp::LLAMA_CPP, &lmstudio::LMSTUDIO, &ollama::OLLAMA, &vllm::VLLM];
