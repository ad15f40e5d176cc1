// Prints each question about a command that our gateway tells its operators, a line of JSON each.
//
// Called by `cargo xtask test --original`, which answers them with the original's command line. Speaks the protocol as
// a program that knows the token does. Ends by itself after a minute.

const socket = new WebSocket(process.env.GATEWAY_ADDRESS);
const connect = {
  minProtocol: 3,
  maxProtocol: 3,
  client: { id: "gateway-client", version: "0", platform: "linux", mode: "backend" },
  role: "operator",
  scopes: ["operator.approvals"],
  auth: { token: process.env.GATEWAY_TOKEN },
};
const leave = (reason) => {
  console.error(reason);
  process.exit(1);
};
setTimeout(() => leave("no more questions are waited for"), 60_000);
socket.addEventListener("close", (event) => leave(`the gateway closed the line: ${event.code} ${event.reason}`));
socket.addEventListener("message", ({ data }) => {
  const frame = JSON.parse(data);
  if (frame.event === "connect.challenge") {
    socket.send(JSON.stringify({ type: "req", id: "hello", method: "connect", params: connect }));
  } else if (frame.id === "hello") {
    if (!frame.ok) leave(`the gateway refused: ${JSON.stringify(frame.error)}`);
    console.log(JSON.stringify({ listening: true }));
  } else if (frame.event === "exec.approval.requested") {
    console.log(JSON.stringify(frame.payload));
  }
});
