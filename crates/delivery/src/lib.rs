//! What people are told: notices written from typed faults, answers without their marks, silence kept silent.
