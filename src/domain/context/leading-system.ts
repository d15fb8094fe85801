import type { Message } from '../../contract/message.ts'

/**
 * The number of system messages at the start of a history. They belong to no turn: a model needs them however much of
 * the rest it gets.
 */
export function leadingSystem(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system')
  return first < 0 ? messages.length : first
}
