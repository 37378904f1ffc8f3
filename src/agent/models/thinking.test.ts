import { expect, test } from 'vitest'
import { thinkingOf } from './thinking.ts'

const rows: readonly (readonly [string, string | number, object])[] = [
  ['anthropic/x', 'none', { options: { anthropic: { thinking: { type: 'disabled' } } } }],
  ['anthropic/x', 0, { options: { anthropic: { thinking: { type: 'disabled' } } } }],
  ['anthropic/x', 4_000, { options: { anthropic: { thinking: { type: 'enabled', budgetTokens: 4_000 } } } }],
  ['anthropic/x', 'low', { options: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_048 } } } }],
  ['anthropic/x', -1, { options: { anthropic: { thinking: { type: 'adaptive' } } } }],
  ['anthropic/x', 'adaptive/high', { options: { anthropic: { thinking: { type: 'adaptive' }, effort: 'high' } } }],
  ['google/x', 0, { options: { google: { thinkingConfig: { thinkingBudget: 0 } } } }],
  ['google/x', 'adaptive', { options: { google: { thinkingConfig: { thinkingBudget: -1 } } } }],
  ['google/x', 'medium', { options: { google: { thinkingConfig: { thinkingBudget: 8_192 } } } }],
  ['openai/gpt-5', 'none', { body: { reasoning_effort: 'minimal' } }],
  ['openai/gpt-5.1', 'none', { body: { reasoning_effort: 'none' } }],
  ['openai/o3', 'high', { body: { reasoning_effort: 'high' } }],
  ['openai/o3', 'max', { body: { reasoning_effort: 'xhigh' } }],
  ['openai/o3', 5_000, { unused: 'the provider takes minimal, low, medium, high or xhigh, not a number of tokens' }],
  ['dmr/ai/qwen3', 'none', { body: { chat_template_kwargs: { enable_thinking: false } } }],
  ['dmr/ai/qwen3', 'high', { unused: 'a model runner can only switch thinking off (none)' }],
  ['google/x', 'vast', { unused: 'vast is not a thinking budget that the provider knows' }],
]
for (const [label, thinking, expected] of rows) {
  test(`thinking_budget ${thinking} for ${label}`, () => {
    const [provider = '', model = ''] = label.split(/\/(.*)/)
    const wire = provider === 'anthropic' || provider === 'google' ? provider : 'openai'
    expect(thinkingOf({ provider, model, wire, thinking })).toEqual({ options: {}, body: {}, ...expected })
  })
}
