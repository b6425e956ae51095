"""Language model, embedder and model files: all that knows llama.cpp, Outlines and torch."""
