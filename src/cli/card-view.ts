import type { CardSigns } from '../cards/recognize.ts'
import type { AgentCard, AgentSkill, SecurityScheme } from '../protocol/generated/v1/types.ts'
import type { Output } from './output.ts'
import { cleanLine } from './terminal-text.ts'

/** A card as lines for people. Everything in it comes from outside, so each piece is made safe. */
export function cardLines(
  card: AgentCard,
  { url, shape, colors }: { readonly url: string; readonly shape: CardSigns['shape']; readonly colors: Output['out'] },
): string[] {
  const fact = (name: string, value: string | undefined): string[] =>
    value === undefined || value === '' ? [] : [`  ${colors.dim(name.padEnd(14))}${cleanLine(value)}`]
  const { capabilities, provider } = card
  const able = [
    capabilities.streaming && 'streaming',
    capabilities.pushNotifications && 'push notifications',
    capabilities.extendedAgentCard && 'extended card',
  ].filter((text) => typeof text === 'string')
  return [
    `${colors.bold(cleanLine(card.name))} ${cleanLine(card.version)}`,
    ...(card.description === '' ? [] : [cleanLine(card.description)]),
    '',
    ...fact('card', url),
    ...fact('form', { '1.0': undefined, '0.3': '0.3', merged: '0.3 and 1.0 in one document' }[shape]),
    ...fact('provider', provider && [provider.organization, provider.url].filter(Boolean).join(', ')),
    ...fact('documentation', card.documentationUrl),
    ...fact('capabilities', able.join(', ') || 'none'),
    ...fact('takes', card.defaultInputModes.join(', ')),
    ...fact('gives', card.defaultOutputModes.join(', ')),
    ...(capabilities.extensions ?? []).flatMap(({ uri, required }) =>
      fact('extension', `${uri ?? ''}${required ? ' (required)' : ''}`),
    ),
    ...securityLines(card).flatMap((text) => fact('authentication', text)),
    ...fact('signatures', card.signatures && card.signatures.length > 0 ? String(card.signatures.length) : undefined),
    '',
    colors.bold('Interfaces'),
    ...card.supportedInterfaces.map(
      ({ protocolBinding, protocolVersion, url: address, tenant }) =>
        `  ${cleanLine(protocolBinding)} ${cleanLine(protocolVersion)}  ${cleanLine(address)}${tenant ? `  tenant ${cleanLine(tenant)}` : ''}`,
    ),
    '',
    colors.bold('Skills'),
    ...card.skills.flatMap((skill) => skillLines(skill, colors)),
  ]
}

function skillLines({ id, name, description, tags, examples = [] }: AgentSkill, colors: Output['out']): string[] {
  return [
    `  ${colors.cyan(cleanLine(id))}  ${cleanLine(name)}${tags.length > 0 ? colors.dim(`  ${tags.map((tag) => `#${cleanLine(tag)}`).join(' ')}`) : ''}`,
    ...(description === '' || description === name ? [] : [`      ${cleanLine(description)}`]),
    ...examples.map((example) => colors.dim(`      e.g. ${cleanLine(example)}`)),
  ]
}

function securityLines({ securitySchemes = {}, securityRequirements = [] }: AgentCard): string[] {
  if (securityRequirements.length === 0) return Object.keys(securitySchemes).map((name) => `${name} (optional)`)
  return securityRequirements.map(({ schemes = {} }) =>
    Object.entries(schemes)
      .map(([name, scopes]) => {
        const scheme = securitySchemes[name]
        const list = scopes?.list ?? []
        return `${name}${scheme === undefined ? '' : `: ${schemeText(scheme)}`}${list.length > 0 ? ` [${list.join(' ')}]` : ''}`
      })
      .join(' and '),
  )
}

function schemeText(scheme: SecurityScheme): string {
  if (scheme.httpAuthSecurityScheme) return `HTTP ${scheme.httpAuthSecurityScheme.scheme}`
  if (scheme.apiKeySecurityScheme)
    return `API key in ${scheme.apiKeySecurityScheme.location} ${scheme.apiKeySecurityScheme.name}`
  if (scheme.oauth2SecurityScheme) return 'OAuth 2'
  if (scheme.openIdConnectSecurityScheme) return `OpenID Connect ${scheme.openIdConnectSecurityScheme.openIdConnectUrl}`
  return 'TLS client certificate'
}
