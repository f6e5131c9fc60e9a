# One tensor map as JSON on standard input, and the result as JSON.
tmasim check --json <<'JSON'
{
  "data_type": "float16",
  "global_dim": [256, 64],
  "global_strides": [520],
  "box_dim": [64, 8],
  "swizzle": "64b"
}
JSON
echo "exit $?"
echo '{"kind": "im2col_w", "data_type": "float16", "global_dim": [64, 16, 8], "lower_corner": [0],
       "upper_corner": [0], "channels_per_pixel": 32, "pixels_per_column": 64}' | tmasim check --json
echo "exit $?"
