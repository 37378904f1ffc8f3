//! The scripted agent and the client of the matrix on the Rust SDK: `interop-peer server …`, `interop-peer client …`.

mod client;
mod neutral;
mod server;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|given| given == name);
        at.and_then(|at| arguments.get(at + 1)).cloned().unwrap_or_default()
    };
    let samples = neutral::load(&option("--parts"));
    if arguments[1] == "server" {
        server::serve(&option("--port"), &option("--grpc-port"), samples).await;
    } else {
        client::play(&option("--card"), &option("--binding"), &option("--version"), samples).await;
    }
}
