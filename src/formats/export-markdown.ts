import type { SourceFile } from '../contract/job.ts'
import type { BranchInfo, SessionMeta } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { Breather } from '../pacing/breather.ts'
import { type ExportOptions, type ExportStore, exportSessions } from './export-sessions.ts'
import { createFileNamer } from './file-names.ts'
import { contained, plain } from './markdown/contain.ts'
import { messageSection, readableTime } from './markdown/write-message.ts'
import { readView } from './read-view.ts'
import { createTextBlob } from './text-blob.ts'

export interface ExportMarkdownOptions extends ExportOptions {
  /** Whether the other lines follow after the current one, each from its fork on. Default: false. */
  readonly branches?: boolean
}

/**
 * Writes sessions for human readers: the title, then all messages of the current line's transcript with role and time.
 * Reasoning, tool calls and results are folded; code and HTML that a message leaves open are closed at its end.
 *
 * @throws SessionNotFound for a key of `keys`; Aborted
 */
export function exportMarkdown(
  store: ExportStore & Pick<SessionStore, 'read'>,
  options: ExportMarkdownOptions = {},
): AsyncGenerator<SourceFile, void, undefined> {
  const nameOf = createFileNamer()
  return exportSessions(store, options, 'conversations.zip', async function* (meta, breathe) {
    const text = createTextBlob('text/markdown')
    text.write(front(meta))
    const shown = new Set<string>()
    const sectionsOf = (branch: string) =>
      lineSections(store, meta.key, branch, { shown, breathe, signal: options.signal })
    for await (const section of sectionsOf(meta.head)) text.write(section)
    for (const branch of options.branches === true ? meta.branches : []) {
      if (branch.id === meta.head) continue
      let title = branchTitle(branch)
      for await (const section of sectionsOf(branch.id)) {
        text.write(`${title}${section}`)
        title = ''
      }
    }
    yield { path: `${nameOf(meta.title.trim() === '' ? meta.key : meta.title.trim())}.md`, blob: text.blob() }
  })
}

/** The text before the first message. */
function front({ title, key, agentId, userId, createdAt, updatedAt, summary, tags }: SessionMeta): string {
  const facts = [
    ['Session', key],
    ['Agent', agentId],
    ['User', userId],
    ['Tags', tags.join(', ')],
    ['Created', readableTime(createdAt)],
    ['Updated', readableTime(updatedAt)],
  ].flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`- ${name}: ${plain(value)}`]))
  const sum =
    summary.trim() === ''
      ? ''
      : `${contained(summary.trim())
          .split('\n')
          .map((line) => `> ${line}`)
          .join('\n')}\n\n`
  return `# ${plain(title) || 'Conversation'}\n\n${facts.join('\n')}\n\n${sum}`
}

interface SectionOptions {
  /** Ids of the messages so far; those of the line are added. */
  readonly shown: Set<string>
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
}

/** The messages of a line that were not shown before. */
async function* lineSections(
  store: Pick<SessionStore, 'read'>,
  key: string,
  branch: string,
  { shown, breathe, signal }: SectionOptions,
): AsyncGenerator<string, void, undefined> {
  for await (const { message, id, at } of readView(store, key, { branch, view: 'transcript', signal })) {
    if (message !== undefined && !shown.has(id)) {
      shown.add(id)
      yield messageSection(message, at)
    }
    const pause = breathe()
    if (pause !== undefined) await pause
  }
}

function branchTitle({ id, name, createdAt }: BranchInfo): string {
  const time = readableTime(createdAt)
  return `---\n\n# ${id === '' ? 'Main line' : `Branch${name === undefined ? '' : `: ${plain(name)}`}`}${time === '' ? '' : ` · ${time}`}\n\n`
}
