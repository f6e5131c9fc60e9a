"""JAX: XLA gives machine code to the driver, and leaves its PTX where --xla_dump_to says."""

import jax
import jax.numpy as jnp


@jax.jit
def normalised(x):
    return jnp.tanh(x - x.mean(axis=1, keepdims=True)) * 2


print("mean", float(normalised(jnp.ones((4096, 2048), dtype=jnp.float32)).mean()))
