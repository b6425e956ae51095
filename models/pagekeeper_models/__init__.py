"""Language model, embedder and model files: all that knows llama.cpp, Outlines and torch."""

import os

# llama.cpp's threads meet at a barrier hundreds of times a token. GNU OpenMP lets them spin there
# for a millisecond and more, on the very core that the late one needs: with one other busy program
# on two cores, 0.8 tokens/s instead of 10. A short spin costs nothing on a quiet machine. The
# variable is read when the library is loaded, so it is set before any module imports llama.cpp.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
