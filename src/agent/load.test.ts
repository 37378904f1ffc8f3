import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type Folder, loadText } from '../../test/agent/kit.ts'
import { AgentFileError, formatFinding } from './finding.ts'
import type { AgentFileOptions } from './load.ts'
import { loadAgentFile } from './load.ts'

let folder: Folder

beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.remove())

/** Findings as `line:column: what`, or the warnings when the file loads. */
async function findings(text: string, options: AgentFileOptions = {}): Promise<readonly string[]> {
  const short = (line: string): string => line.slice(line.indexOf('agent.yaml:') + 'agent.yaml:'.length)
  try {
    return (await loadText(folder, text, options)).warnings.map(formatFinding).map(short)
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error
    return error.message.split('\n').map(short)
  }
}

const plain = 'agents: { root: { model: ollama/m, description: d } }'

for (const version of [
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '9',
  '10',
  '11',
  '12',
  '13',
  '14',
  '15',
  '16',
  '"10"',
  '"v3"',
]) {
  test(`schema version ${version} loads`, async () => {
    expect(await findings(`version: ${version}\n${plain}`)).toEqual([])
  })
}
for (const [version, shown] of [
  ['17', '17'],
  ['latest', '"latest"'],
  ['1.5', '1.5'],
  ['-1', '-1'],
] as const) {
  test(`schema version ${version} does not`, async () => {
    expect(await findings(`# file\nversion: ${version}\n${plain}`)).toEqual([
      `2:1: version: must be a schema version from 0 to 16, is ${shown}`,
    ])
  })
}

test('version 0: the older names are understood, and findings point at them', async () => {
  const text = `#!/usr/bin/env docker agent run
version: 0
agents:
  root:
    model: m
    description: d
    think: true
    todo: { shared: true }
    memory: { path: ./m.db }
models:
  m:
    type: openai
    model: gpt
`
  expect(await findings(text)).toEqual([
    '11:3: models.m: openai/gpt needs OPENAI_API_KEY, which is not set: set it in the environment or in a file given with --env-from-file, or serve with --fake FILE to answer from a script',
  ])
  const warnings = await findings(text, { env: { OPENAI_API_KEY: 'k' } })
  expect(warnings).toEqual([
    '7:5: agents.root.toolsets[0]: toolset think is not supported yet: its tools are absent, the agent answers without them',
    '8:5: agents.root.toolsets[1]: toolset todo is not supported yet: its tools are absent, the agent answers without them',
    '9:5: agents.root.toolsets[2]: toolset memory is not supported yet: its tools are absent, the agent answers without them',
  ])
})

interface Row {
  readonly name: string
  readonly text: string
  readonly expected: readonly string[]
  readonly options?: AgentFileOptions
}

const agentWith = (lines: string): string =>
  `agents:\n  root:\n    model: ollama/m\n    description: d\n${lines.replace(/^/gm, '    ')}\n`

const rows: readonly Row[] = [
  {
    name: 'an empty file',
    text: '',
    expected: ['1:1: the file is empty: it needs at least agents, with a name and an instruction'],
  },
  { name: 'a list', text: '- a', expected: ['1:1: must be a mapping, is a list'] },
  { name: 'no agents', text: 'models: {}', expected: ['1:1: agents: is missing: it must be a mapping'] },
  {
    name: 'agents that are empty',
    text: 'agents: {}',
    expected: ['1:1: agents: must not be empty: give at least one agent'],
  },
  {
    name: 'an agent that is empty',
    text: 'agents:\n  root:\n',
    expected: ['2:3: agents.root: must be a mapping, is empty'],
  },
  { name: 'a tab', text: 'agents:\n\troot: {}', expected: ['2:1: a tab is not allowed as indentation: use spaces'] },
  {
    name: 'a key twice',
    text: 'agents: {}\nagents: {}',
    expected: ['2:1: this key is given twice in the same mapping: keep one'],
  },
  {
    name: 'two documents',
    text: `${plain}\n---\n${plain}`,
    expected: ['2:1: the file holds more than one YAML document: keep one (remove the line `---`)'],
  },
  {
    name: 'a number for a text',
    text: agentWith('instruction: 3'),
    expected: ['5:5: agents.root.instruction: must be a text, is 3'],
  },
  {
    name: 'a bad temperature',
    text: `${plain}\nmodels:\n  m:\n    provider: ollama\n    model: x\n    temperature: 3\n`,
    expected: ['6:5: models.m.temperature: must be at most 2, is 3'],
  },
  {
    name: 'a key in place of its name',
    text: `${plain}\nmodels:\n  m:\n    provider: ollama\n    model: x\n    token_key: sk-secret\n`,
    expected: ['6:5: models.m.token_key: must be the name of an environment variable, not the key itself'],
  },
  {
    name: 'a bad duration',
    text: agentWith('fallback:\n  cooldown: soon'),
    expected: ['6:7: agents.root.fallback.cooldown: must be a duration such as 30s, 1m or 1h30m, is "soon"'],
  },
  {
    name: 'a bad safety',
    text: agentWith('safety: wild'),
    expected: ['5:5: agents.root.safety: must be one of strict, balanced, restricted, autonomous, is "wild"'],
  },
  {
    name: 'several errors at once',
    text: agentWith('add_date: yes please\nmax_iterations: -1'),
    expected: [
      '5:5: agents.root.add_date: must be true or false, is "yes please"',
      '6:5: agents.root.max_iterations: must be at least 0, is -1',
    ],
  },
  {
    name: 'an unknown key with a likely meaning',
    text: agentWith('instructions: x'),
    expected: ['5:5: agents.root.instructions: unknown key (did you mean instruction?)'],
  },
  {
    name: 'an unknown key without one',
    text: agentWith('fallback:\n  frobnicate: 1'),
    expected: ['6:7: agents.root.fallback.frobnicate: unknown key; known here: models, retries, cooldown'],
  },
  {
    name: 'keys that change nothing',
    text: agentWith('code_mode_tools: true\ncache: { enabled: true }\nredact_secrets: false\nrag: [docs]'),
    expected: [
      '5:5: agents.root.code_mode_tools: has no effect: it limits tool calls, and no tools are available',
      '6:5: agents.root.cache: has no effect: answers are not cached',
      '8:5: agents.root.rag: has no effect: retrieval is not supported',
    ],
  },
  {
    name: 'structured output by a tool',
    text: agentWith('structured_output: { schema: {}, mode: tool }'),
    expected: ['5:38: agents.root.structured_output.mode: has no effect: the model is asked for JSON itself (native)'],
  },
  {
    name: 'hooks that do not gate',
    text: agentWith('hooks:\n  turn_start: [{ type: command }]\n  pre_tool_use: []'),
    expected: ['6:7: agents.root.hooks.turn_start: has no effect: hooks do not run'],
  },
  {
    name: 'hooks that gate tools',
    text: agentWith('hooks:\n  pre_tool_use: [{ type: command }]\n  permission_request: [{ type: command }]'),
    expected: [
      '6:7: agents.root.hooks.pre_tool_use: this hook decides which tools may run and is not supported: remove it, or use permissions',
      '7:7: agents.root.hooks.permission_request: this hook decides which tools may run and is not supported: remove it, or use permissions',
    ],
  },
  {
    name: 'a sandbox',
    text: `${plain}\nruntime:\n  sandbox: true\n`,
    expected: [
      '3:3: runtime.sandbox: running in a sandbox is not supported: remove the key, or run Parlance in a container of your own',
    ],
  },
  { name: 'a sandbox that is off', text: `${plain}\nruntime: { sandbox: false }`, expected: [] },
  {
    name: 'variables in the file',
    text: `${plain}\nenv:\n  A: b\n`,
    expected: [
      '2:1: env: variables cannot be set in the file: set them in the environment or in a file given with --env-from-file',
    ],
  },
  {
    name: 'a harness on the served agent',
    text: agentWith('harness: codex'),
    expected: [
      '5:5: agents.root.harness: an agent that runs in a harness cannot be served: give it a model, or serve another agent with -a',
    ],
  },
  {
    name: 'a harness on another agent',
    text: `${agentWith('add_date: true')}  other:\n    harness: codex\n    hooks: { pre_tool_use: [x] }\n`,
    expected: [],
  },
  {
    name: 'autonomous in the agent',
    text: agentWith('safety: autonomous'),
    expected: [
      '5:5: agents.root.safety: autonomous cannot be set in a file, as it lets tools run unasked: start with --safety autonomous instead',
    ],
  },
  {
    name: 'autonomous in the runtime',
    text: `${plain}\nruntime: { safety: autonomous }`,
    expected: [
      '2:12: runtime.safety: autonomous cannot be set in a file, as it lets tools run unasked: start with --safety autonomous instead',
    ],
  },
  {
    name: 'an agent that is not there',
    text: plain,
    options: { agent: 'rot' },
    expected: ['1:1: agents: there is no agent rot (did you mean root?): the file has root'],
  },
  {
    name: 'strict: warnings are errors',
    text: agentWith('cache: {}\ncolour: red'),
    options: { strict: true },
    expected: [
      '5:5: agents.root.cache: has no effect: answers are not cached',
      '6:5: agents.root.colour: unknown key; known here: ',
    ],
  },
  {
    name: 'an instruction file outside of the folder',
    text: agentWith('instruction_file: ../../etc/passwd'),
    expected: ['5:5: agents.root.instruction_file: ../../etc/passwd '],
  },
  {
    name: 'a group of commands that is not there',
    text: agentWith('use_commands: shared'),
    expected: ['5:5: agents.root.use_commands: there is no group shared under commands'],
  },
  {
    name: 'shell text in a command',
    text: agentWith('commands:\n  a: "look at !`ls`"'),
    expected: [
      '5:5: agents.root.commands: the shell text in command a is not run: it is sent to the model as it stands',
    ],
  },
]
for (const { name, text, expected, options } of rows) {
  test(`says what is wrong and where: ${name}`, async () => {
    const found = await findings(text, options)
    for (const [index, line] of expected.entries()) expect(found[index]).toContain(line)
    expect(found).toHaveLength(expected.length)
  })
}

test('tools, sub-agents and handoffs that will be absent are named with their lines', async () => {
  const text = agentWith(`toolsets:
  - type: shell
  - { type: a2a, name: pong, url: "http://x" }
  - type: shel
  - {}
sub_agents: [a, b]
handoffs: [c]`)
  const found = await findings(text)
  expect(found).toEqual([
    '6:9: agents.root.toolsets[0]: toolset shell is not supported yet: its tools are absent, the agent answers without them',
    '7:9: agents.root.toolsets[1]: toolset a2a "pong" is not supported yet: its tools are absent, the agent answers without them',
    '8:9: agents.root.toolsets[2]: toolset shel is not known (did you mean shell?): its tools are absent',
    expect.stringContaining('9:9: agents.root.toolsets[3]: a toolset needs a type, one of think, todo'),
    '10:5: agents.root.sub_agents: sub_agents are not supported yet: the agent answers without a, b',
    '11:5: agents.root.handoffs: handoffs are not supported yet: the agent answers without c',
  ])
})

test('a file that cannot be read says why', async () => {
  const rows = [
    [`${folder.path}/none.yaml`, 'there is no such file'],
    ['agentcatalog/pirate', 'there is no such file (registry references and aliases are not supported)'],
    ['https://example.com/a.yaml', 'agent files are not fetched from the web: download the file and give its path'],
    ['agent.hcl', 'HCL agent files are not supported: write the same in YAML'],
    [folder.path, 'is a folder: give the path of a YAML file'],
  ] as const
  for (const [path, message] of rows) {
    await expect(loadAgentFile(path)).rejects.toThrow(
      new AgentFileError([{ severity: 'error', file: path, line: 1, column: 1, path: '', message }]),
    )
  }
})

test('the first agent is served when none is called root, also when its name is a number', async () => {
  const text = `agents:\n  second: { model: ollama/b, description: two }\n  42: { model: ollama/a, description: one }\n`
  expect((await loadText(folder, text)).agentName).toBe('second')
  expect((await loadText(folder, text, { agent: '42' })).description).toBe('one')
})

test('anchors and merges work, and findings inside them point at what is written', async () => {
  const text = `
agents:
  root: &base
    model: ollama/m
    description: d
    cache: {}
  other:
    <<: *base
    description: e
`
  expect(await findings(text, { agent: 'other' })).toEqual([
    '7:3: agents.other.cache: has no effect: answers are not cached',
  ])
})

test('safety: the option wins, then the agent, then the runtime, then restricted', async () => {
  const text = `${agentWith('safety: strict')}runtime: { safety: balanced }\n`
  expect((await loadText(folder, text, { safety: 'autonomous' })).safety).toBe('autonomous')
  expect((await loadText(folder, text)).safety).toBe('strict')
  expect((await loadText(folder, `${plain}\nruntime: { safety: balanced }`)).safety).toBe('balanced')
  expect((await loadText(folder, plain)).safety).toBe('restricted')
})
