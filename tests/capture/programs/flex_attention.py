"""FlexAttention: causal attention with a bias by distance, as torch.compile makes it."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention


def causal(batch, head, query, key):
    return query >= key


def distance(score, batch, head, query, key):
    return score + (key - query) * 0.01


query, key, value = (
    torch.randn(1, 16, 2048, 64, device="cuda", dtype=torch.bfloat16) for _ in range(3)
)
mask = create_block_mask(causal, None, None, 2048, 2048, device="cuda")
attention = torch.compile(flex_attention)
print("attention", attention(query, key, value, score_mod=distance, block_mask=mask).float().std().item())
