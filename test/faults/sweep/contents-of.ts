import type { SessionStore } from '../../../src/contract/store/session-store.ts'

/** All that a store shows of its sessions, as JSON, without what was drawn at random. */
export async function contentsOf(store: SessionStore): Promise<unknown> {
  const listed = (
    await Promise.all([store.listSessions({ limit: 100 }), store.listSessions({ limit: 100, deleted: true })])
  ).flatMap(({ sessions }) => sessions)
  const shown: unknown[] = []
  for (const { key } of [...listed].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const { title, summary, custom, tags, aliases, messageCount, deletedAt, promotedTo } = (await store.getMeta(
      key,
    ))! as unknown as Readonly<Record<string, unknown>>
    const lines: unknown[] = []
    for (const { id, name } of await store.listBranches(key)) {
      const views: unknown[] = []
      for (const view of ['raw', 'transcript', 'context'] as const) {
        const { entries, hidden, skipped } = await store.read(key, { branch: id, view, last: 100 })
        views.push([entries.map(({ type, message }) => [type, message]), hidden?.summary, hidden?.messages, skipped])
      }
      lines.push([name, views])
    }
    // Not what they counted: a record that fails alone is passed over, and they count nothing then.
    const checkpoints = (await store.listCheckpoints(key)).map(({ label }) => label)
    const drafts = (await store.listDrafts(key)).map(({ id, text }) => [id, text])
    shown.push({
      key,
      title,
      summary,
      custom,
      tags,
      aliases,
      messageCount,
      isDeleted: deletedAt !== undefined,
      isPromoted: promotedTo !== undefined,
      lines,
      checkpoints,
      drafts,
    })
  }
  return JSON.parse(JSON.stringify(shown))
}
