import type { ProviderCallOptions } from './language-model.ts'
import type { ModelSettings } from './settings.ts'

/** How `thinking_budget` is asked for: options of the provider, members of the body; `unused` says why it has no effect. */
export interface Thinking {
  readonly options: ProviderCallOptions
  readonly body: Readonly<Record<string, unknown>>
  readonly unused?: string
}

const tokens: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
}

/** Maps `thinking_budget` to what the provider of a model understands. */
export function thinkingOf(settings: Pick<ModelSettings, 'thinking' | 'wire' | 'provider' | 'model'>): Thinking {
  const given = settings.thinking
  if (given === undefined) return { options: {}, body: {} }
  const word = typeof given === 'number' ? undefined : given.trim().toLowerCase()
  const none = given === 0 || word === 'none' || word === '0'
  if (settings.wire === 'anthropic') return anthropic(given, word, none)
  if (settings.wire === 'google') return google(given, word, none)
  return openai(settings, word, none)
}

function unused(why: string): Thinking {
  return { options: {}, body: {}, unused: why }
}

function anthropic(given: string | number, word: string | undefined, none: boolean): Thinking {
  const options = (thinking: ProviderCallOptions[string]): Thinking => ({ options: { anthropic: thinking }, body: {} })
  if (none) return options({ thinking: { type: 'disabled' } })
  if (given === -1 || word === 'adaptive') return options({ thinking: { type: 'adaptive' } })
  if (word?.startsWith('adaptive/'))
    return options({ thinking: { type: 'adaptive' }, effort: word.slice('adaptive/'.length) })
  const budget = word === undefined ? Number(given) : tokens[word]
  if (budget === undefined) return unused(`${word} is not a thinking budget that the provider knows`)
  return options({ thinking: { type: 'enabled', budgetTokens: Math.max(1_024, budget) } })
}

function google(given: string | number, word: string | undefined, none: boolean): Thinking {
  const budget = none
    ? 0
    : given === -1 || word?.startsWith('adaptive')
      ? -1
      : word === undefined
        ? Number(given)
        : tokens[word]
  if (budget === undefined) return unused(`${word} is not a thinking budget that the provider knows`)
  return { options: { google: { thinkingConfig: { thinkingBudget: budget } } }, body: {} }
}

function openai(
  settings: Pick<ModelSettings, 'provider' | 'model'>,
  word: string | undefined,
  none: boolean,
): Thinking {
  if (settings.provider === 'dmr') {
    // Templates of llama.cpp take a switch, not a budget.
    return none
      ? { options: {}, body: { chat_template_kwargs: { enable_thinking: false } } }
      : unused('a model runner can only switch thinking off (none)')
  }
  if (none)
    return { options: {}, body: { reasoning_effort: /^gpt-5(?![.\d])/.test(settings.model) ? 'minimal' : 'none' } }
  const effort = word?.startsWith('adaptive/') ? word.slice('adaptive/'.length) : word === 'max' ? 'xhigh' : word
  if (effort === undefined || !(effort in tokens))
    return unused('the provider takes minimal, low, medium, high or xhigh, not a number of tokens')
  return { options: {}, body: { reasoning_effort: effort } }
}
