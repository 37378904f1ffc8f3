import { Command, Option } from 'commander'
import { profiles } from '../protocol/profiles.ts'
import { bindingNames } from './binding-names.ts'
import type { Output } from './output.ts'
import { packageVersion } from './own-package.ts'
import { logLevels } from './serve-log.ts'

/** The work of a command: it says things through `output` and gives the exit code. */
export type Work = (output: Output) => Promise<number>

/** Runs the work that a command line asks for. */
export type Run = (flags: { readonly json?: boolean; readonly debug?: boolean }, work: Work) => Promise<void>

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value]
}

function repeatable(flags: string, text: string): Option {
  return new Option(flags, `${text} (repeatable)`).argParser(collect)
}

function withCommonFlags(command: Command): Command {
  return command
    .option('--json', 'print JSON, errors included')
    .option('--debug', 'show more: what was tolerated, and where errors come from')
}

function withAgentFlags(command: Command): Command {
  command
    .option('--token <token>', 'bearer token; better in the variable PARLANCE_TOKEN')
    .addOption(repeatable('--header <line>', 'a header for every call, as "Name: value"'))
    .addOption(new Option('--binding <name>', 'call it over this binding only').choices(Object.keys(bindingNames)))
    .addOption(
      new Option('--a2a-version <version>', 'call it in this version of the protocol only').choices(['1.0', '0.3']),
    )
    .option('--timeout <duration>', 'longest silence of the agent, such as 30s or 2m')
  return withCommonFlags(command)
}

/** The command line; each command loads its own module when it is called. */
export function createProgram(run: Run): Command {
  const program = new Command('parlance')
    .description('Serve, call and inspect agents over A2A (Agent2Agent).')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', exitCodeText)
  addServe(program, run)
  addSend(program, run)
  addCard(program, run)
  addTaskCommands(program, run)
  addDatabaseCommands(program, run)
  addSchema(program, run)
  return program
}

const exitCodeText = `
Exit codes: 0 ok, 1 the answer was a failure, 2 usage, 3 authentication, 4 unreachable, 5 internal.`

function addServe(program: Command, run: Run): void {
  const command = program
    .command('serve')
    .description('serve an agent from a YAML file (Docker Agent format) or a module')
    .argument('<file>', 'agent.yaml, agent.ts or agent.js')
    .option('-a, --agent <name>', 'agent of the file to serve (default: root, else the first)')
    .option('-l, --listen <address>', 'host:port, :port, or unix:///path', '127.0.0.1:8082')
    .option(
      '-s, --store <store>',
      'memory, the path of a SQLite file, or postgres://… (default: a file in your data folder)',
    )
    .addOption(new Option('--session-db <store>', 'another name of --store').hideHelp())
    .option('--auth-token <token>', 'bearer token that callers need; better in the variable PARLANCE_AUTH_TOKEN')
    .option('--insecure-no-auth', 'allow an address that others reach without a token')
    .option('--protect-card', 'ask for the token also for the card')
    .option('--cors-origin <list>', 'origins of pages that may call, with commas; ~regex for many')
    .option('--public-url <url>', 'address under which callers reach this server')
    .option('--tls-cert <file>', 'certificate in PEM form; with it, TLS is spoken')
    .option('--tls-key <file>', 'its key in PEM form')
    .option('--grpc-listen <address>', 'a second address for gRPC alone')
    .addOption(
      new Option('--profile <name>', 'what to do where peers and suites disagree').choices(Object.keys(profiles)),
    )
    .addOption(
      new Option('--card-shape <shape>', 'the card for those who name no version').choices(['1.0', '0.3', 'merged']),
    )
    .addOption(repeatable('--jsonrpc-path <path>', 'where JSON-RPC is served; the first one is advertised'))
    .option('--rest-path <path>', 'what comes before the paths of HTTP+JSON')
    .addOption(repeatable('--card-path <path>', 'where the card is served, such as /.well-known/agent.json'))
    .option('--trust-proxy', 'believe X-Forwarded-Host, -Proto and -Prefix')
    .addOption(repeatable('--tenant <name>', 'tenant that callers may name'))
    .addOption(
      new Option('--safety <level>', 'how far tools may go unasked').choices([
        'strict',
        'balanced',
        'restricted',
        'autonomous',
      ]),
    )
    .option('--working-dir <folder>', 'folder that the agent works in')
    .addOption(repeatable('--env-from-file <file>', 'file of NAME=value lines'))
    .option('--fake <file>', 'answer from a script instead of a model')
    .option('--strict', 'treat warnings about the agent file as errors')
    .option('--workers <n>', 'processes that serve side by side, on one SQLite file or PostgreSQL', '1')
    .option('--max-runs <n>', 'tasks at work at once in each process; more wait (default: 10000)')
    .option('--max-runs-per-tenant <n>', 'of these, so many for one tenant')
    .option('--max-runs-per-owner <n>', 'of these, so many for one caller')
    .option('--max-waiting <n>', 'tasks that may wait; more are refused (default: 10000)')
    .option('--rate <rate>', 'calls of one caller: 10/s, 600/m, or 10/s:50 for 50 at once')
    .option('--run-time <duration>', 'longest work on one message (default: 6h)')
    .option('--idle-time <duration>', 'longest silence of an agent at work (default: 30m)')
    .option('--retain <age>', 'delete tasks so long after their last status, such as 30d (default: keep them)')
    .option('--grace <duration>', 'time for running tasks when stopping', '10s')
    .option(
      '--drain-delay <duration>',
      'after SIGTERM, time to say at /readyz that this stops, before it does',
      '250ms',
    )
    .option('--admin-listen <address>', 'a second address for /metrics, /healthz and /readyz')
    .option('--metrics-token <token>', 'serve /metrics beside the calls; better in PARLANCE_METRICS_TOKEN')
    .option('--otlp <url>', 'send traces to this collector, such as http://localhost:4318')
    .option('--trace-ratio <share>', 'share of new traces that is kept, 0 to 1 (default: 1)')
    .option('--trace-content', 'tell the texts of messages in traces')
    .addOption(new Option('--log-format <format>', 'how the log is written').choices(['text', 'json']))
    .addOption(new Option('--log-level <level>', 'the least pressing that is logged').choices(logLevels))
    .option('--log-content', 'tell the texts of messages in the log')
  withCommonFlags(command).action((file: string, flags) =>
    run(flags, async (output) => (await import('./commands/serve.ts')).serve(file, flags, output)),
  )
}

function addSend(program: Command, run: Run): void {
  const command = program
    .command('send')
    .description('send a message to an agent and show the answer')
    .argument('<url>', 'the agent: a host, or the URL of it or of its card')
    .argument('[text...]', 'the text; - or nothing reads standard input')
    .option('--stream', 'show the answer as it comes; with --json, one line for each event')
    .option('--context <id>', 'go on in this conversation')
    .option('--task <id>', 'answer to this task')
    .option('--no-wait', 'print the id of the task and leave it running')
    .addOption(repeatable('--file <path>', 'send a file'))
    .addOption(repeatable('--data <json>', 'send JSON data'))
    .addOption(repeatable('--part <json>', 'send a part as the protocol writes it'))
    .option('--accept <types>', 'media types of the answer, with commas')
    .option('--history <n>', 'how many messages of history to return')
    .option('--output <folder>', 'save the files of the answer here')
    .option('--cancel-on-interrupt', 'cancel the task on Ctrl-C, instead of leaving it running')
  withAgentFlags(command).action((url: string, text: string[], flags) =>
    run(flags, async (output) => (await import('./commands/send.ts')).send(url, text, flags, output)),
  )
}

function addCard(program: Command, run: Run): void {
  const command = program
    .command('card')
    .alias('discover')
    .description('show the card of an agent, and what strict readers reject in it')
    .argument('<url>', 'the agent: a host, or the URL of it or of its card')
  withAgentFlags(command).action((url: string, flags) =>
    run(flags, async (output) => (await import('./commands/card.ts')).card(url, flags, output)),
  )
}

function addTaskCommands(program: Command, run: Run): void {
  const get = program
    .command('get')
    .description('show a task')
    .argument('<url>', 'the agent')
    .argument('<task>', 'id of the task')
    .option('--history <n>', 'how many messages of history to return')
    .option('--output <folder>', 'save the files of the task here')
  withAgentFlags(get).action((url: string, task: string, flags) =>
    run(flags, async (output) => (await import('./commands/get.ts')).get(url, task, flags, output)),
  )
  const list = program
    .command('list')
    .description('list your tasks, newest first')
    .argument('<url>', 'the agent')
    .option('--context <id>', 'only of this conversation')
    .option('--state <state>', 'only in this state, such as working or input-required')
    .option('--since <time>', 'only with a status of this time or later: a time, or 1h for an hour ago')
    .option('--page-size <n>', 'tasks on a page, 1 to 100')
    .option('--page-token <token>', 'where to go on')
    .option('--all', 'read all pages')
    .option('--history <n>', 'how many messages of history to return with each')
    .option('--artifacts', 'return artifacts too')
  withAgentFlags(list).action((url: string, flags) =>
    run(flags, async (output) => (await import('./commands/list.ts')).list(url, flags, output)),
  )
  const cancel = program
    .command('cancel')
    .description('ask an agent to stop a task')
    .argument('<url>', 'the agent')
    .argument('<task>', 'id of the task')
  withAgentFlags(cancel).action((url: string, task: string, flags) =>
    run(flags, async (output) => (await import('./commands/cancel.ts')).cancel(url, task, flags, output)),
  )
  const subscribe = program
    .command('subscribe')
    .description('follow a task to its end')
    .argument('<url>', 'the agent')
    .argument('<task>', 'id of the task')
    .option('--from <n>', 'number of the last event that you saw')
    .option('--output <folder>', 'save the files of the task here')
  withAgentFlags(subscribe).action((url: string, task: string, flags) =>
    run(flags, async (output) => (await import('./commands/subscribe.ts')).subscribe(url, task, flags, output)),
  )
}

function addDatabaseCommands(program: Command, run: Run): void {
  const database = program.command('db').description('look after a store of tasks')
  const add = (name: string, description: string): Command =>
    withCommonFlags(
      database
        .command(name)
        .description(description)
        .option(
          '-s, --store <store>',
          'the path of a SQLite file, or postgres://… (default: a file in your data folder)',
        ),
    )
  const addWhose = (name: string, description: string): Command =>
    add(name, description)
      .option('--agent <name>', 'only of this agent (default: of all)')
      .option('--tenant <name>', 'only of this tenant')
  const load = (): Promise<typeof import('./commands/db.ts')> => import('./commands/db.ts')
  add('migrate', 'make the tables, or bring them to the version of this program').action((flags) =>
    run(flags, async (output) => (await load()).migrateDatabase(flags, output)),
  )
  add('status', 'show version, size, tasks and processes').action((flags) =>
    run(flags, async (output) => (await load()).databaseStatus(flags, output)),
  )
  addWhose('purge', 'delete tasks of long ago, in small steps')
    .requiredOption('--retain <age>', 'how old a task may be after its last status, such as 30d')
    .action((flags) => run(flags, async (output) => (await load()).purgeDatabase(flags, output)))
  addWhose('erase', 'delete everything of one owner or tenant, also what is at work')
    .option('--owner <name>', 'whose tasks, as the authenticator names callers')
    .option('--yes', 'do it')
    .action((flags) => run(flags, async (output) => (await load()).eraseFromDatabase(flags, output)))
}

function addSchema(program: Command, run: Run): void {
  const command = program
    .command('schema')
    .description('print the protocol as a schema')
    .option('--json-schema [type]', 'JSON Schema of one message, or of all')
    .option('--openapi', 'OpenAPI of the HTTP+JSON binding')
    .option('--proto [version]', 'Protocol Buffers of 1.0, or of 0.3')
  withCommonFlags(command).action((flags) =>
    run(flags, async (output) => (await import('./commands/schema.ts')).schema(flags, output)),
  )
}
