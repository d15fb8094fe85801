import { crc32 } from './crc32.ts'

/**
 * What a summary is made of, in short: what stood for the part before, and entries of a context with the edits that count. Another fingerprint means that
 * something was hidden, removed, edited or summarised since.
 *
 * @param entries - in reading order
 */
export function contextFingerprint({ summary, messages = [] }: { readonly summary: string; readonly messages?: readonly unknown[] }, entries: readonly { readonly id: string; readonly edit?: string | undefined }[]): string {
  const text = entries.map(({ id, edit = '' }) => `${id} ${edit}`).join('\n')
  return `${entries.length.toString(36)}.${messages.length.toString(36)}.${crc32(text).toString(36)}.${crc32(summary).toString(36)}`
}
