import type { IdentityLinks } from '../../contract/message-identity.ts'
import { goLower, goNormal, goTrim } from './go-text.ts'
import { listAt, objectAt, refusal, textAt } from './identity-input.ts'

/**
 * The name that links give an id, or `undefined`. An id is looked up as it is, with its channel in front, and without
 * the part before its first colon. The first name that has it wins, in the order of the links: PicoClaw's own order is
 * random when an id has two names.
 *
 * @throws InvalidInput when these are no links
 * Source: PicoClaw, `identity_links`
 */
export function linkedIdentity(
  channel: string,
  id: string,
  links: IdentityLinks | null | undefined,
): string | undefined {
  const own = goNormal(id)
  if (own === '') return undefined
  const candidates = new Set([own])
  const place = goNormal(channel)
  if (place !== '') candidates.add(`${place}:${own}`)
  const colon = own.indexOf(':')
  if (colon > 0 && colon < own.length - 1) candidates.add(own.slice(colon + 1))

  for (const [name, ids] of checkLinks(links)) {
    const canonical = goTrim(name)
    if (canonical !== '' && ids.some((one) => candidates.has(goNormal(one)))) return goLower(canonical)
  }
  return undefined
}

/**
 * The canonical name of a sender: the name that links give the id, otherwise the id in lower case; `''` for a blank
 * one. @throws InvalidInput
 */
export function canonicalSender(channel: string, id: string, links?: IdentityLinks | null): string {
  return linkedIdentity(channel, id, links) ?? goNormal(id)
}

/** The links as pairs. @throws InvalidInput with the place */
export function checkLinks(
  links: unknown,
  path = 'identityLinks',
): readonly (readonly [name: string, ids: readonly string[]])[] {
  const pairs = Array.isArray(links) ? (links as readonly unknown[]) : Object.entries(objectAt(links, path))
  return pairs.map((pair, i) => {
    const [name, ids] = listAt(pair, `${path}[${i}]`)
    if (typeof name !== 'string') throw refusal(`${path}[${i}][0]`, name, 'Pass the canonical name as a string.')
    return [name, listAt(ids, `${path}.${name}`).map((id, k) => textAt(id, `${path}.${name}[${k}]`))]
  })
}
