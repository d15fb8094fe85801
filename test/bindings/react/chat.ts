import { createElement, type ReactElement } from 'react'
import { useHealth, useSearch, useSessions, useTranscript } from '../../../src/bindings/react/react-hooks.ts'
import type { TranscriptTarget } from '../../../src/bindings/views/transcript-view.ts'

const nameOf = (error: unknown): string => (error === undefined ? '' : ` ${(error as Error).name}`)

/** Shows a conversation as one line of text: `key(status): first|second`. */
export function Conversation({
  target,
  last,
}: {
  readonly target: TranscriptTarget
  readonly last?: number
}): ReactElement {
  const { status, error, entries, drafts, more, loadEarlier } = useTranscript(
    target,
    last === undefined ? {} : { last },
  )
  const texts = [...entries.map(({ message }) => String(message?.content)), ...drafts.map(({ text }) => text)]
  const key = typeof target === 'object' ? target.key : target
  return createElement(
    'section',
    null,
    `${key}(${status}${nameOf(error)}): ${texts.join('|')}`,
    more ? createElement('button', { type: 'button', onClick: () => loadEarlier(2) }, '…') : null,
  )
}

export function List({ limit = 50 }: { readonly limit?: number }): ReactElement {
  const { status, error, sessions, total } = useSessions({ limit, order: 'title' })
  const titles = sessions.map(({ title }) => title)
  return createElement('nav', null, `${status}${nameOf(error)}: ${titles.join(',')} of ${total}`)
}

export function Found({ text }: { readonly text: string }): ReactElement {
  const { status, hits } = useSearch(text, { limit: 5 })
  return createElement('p', null, `${status}: ${hits.map(({ snippet }) => snippet.text).join('|')}`)
}

export function Health(): ReactElement {
  const { status, error, health } = useHealth()
  return createElement('footer', null, `${status}${nameOf(error)}: ${health?.mode}`)
}
