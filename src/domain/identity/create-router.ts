import type {
  DispatchSelector,
  InboundContext,
  PicoclawContext,
  Route,
  RoutingConfig,
} from '../../contract/message-identity.ts'
import { dimensionValues } from './dimension-values.ts'
import { goLower } from './go-text.ts'
import { normaliseContext } from './normalise-context.ts'
import { normaliseAccountId } from './normalise-id.ts'
import { readRoutingConfig } from './routing-config.ts'

/**
 * Makes a router that decides, for each message, which agent answers and which dimensions separate its sessions. It is
 * pure: the same message always takes the same route. The configuration is checked and copied once, here.
 *
 * @throws InvalidInput when the configuration has a mistake; the router throws it when a context has one
 * Source: PicoClaw, `ResolveRoute`
 */
export function createRouter(config: RoutingConfig = {}): (context: InboundContext | PicoclawContext) => Route {
  const { agentIds, defaultAgentId, rules, dimensions, identityLinks, acrossChannels } = readRoutingConfig(config)

  const choose = (agentId: string): string =>
    agentId !== '' && (agentIds.length === 0 || agentIds.includes(agentId)) ? agentId : defaultAgentId

  return (given) => {
    const context = normaliseContext(given)
    const view: Required<DispatchSelector> = {
      ...dimensionValues(context, identityLinks),
      channel: goLower(context.channel),
      account: normaliseAccountId(context.account),
      mentioned: context.mentioned,
    }
    const rule = rules.find(({ when }) => when.length > 0 && when.every(([field, value]) => view[field] === value))
    return {
      agentId: choose(rule?.agentId ?? ''),
      channel: view.channel,
      accountId: view.account,
      sessionPolicy: { dimensions: rule?.dimensions ?? dimensions, identityLinks, acrossChannels },
      matchedBy: rule?.matchedBy ?? 'default',
    }
  }
}
