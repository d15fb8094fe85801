/// <reference path="./pg.d.ts" />
import { randomUUID } from 'node:crypto'
import { groupCommit } from '../group-commit.js'
import { mergeUpdates } from '../merge-updates.js'
import { needsCompaction } from '../needs-compaction.js'

/**
 * Opens a document whose updates are rows. The number of an update is drawn under a lock of its document, which is held
 * until the row is visible. So numbers become visible in their order, and everything after the last number seen is new.
 * Compaction replaces the rows that it has read, by their numbers, with one row: two nodes that do so at once leave the
 * same content twice, and lose nothing.
 *
 * @param {import('pg').Pool} pool
 * @param {string} name
 * @param {(message: string) => void} say
 * @returns {Promise<{ updates: readonly Uint8Array[], log: import('../store.js').DocumentLog }>}
 */
export async function openPostgresLog(pool, name, say) {
  const node = randomUUID()
  const { rows } = await pool.query('SELECT id, update FROM keepsession_updates WHERE document = $1 ORDER BY id', [
    name,
  ])
  let seen = String(rows.at(-1)?.id ?? 0)
  let size = sizeOf(rows)
  let compacted = size
  /**
   * Updates of other nodes that compaction merged into a row of this node before they were returned.
   *
   * @type {Uint8Array[]}
   */
  let aside = []

  const compact = async () => {
    const { rows } = await pool.query(
      'SELECT id, update, node <> $3::uuid AND id > $2::bigint AS new FROM keepsession_updates WHERE document = $1 ORDER BY id',
      [name, seen, node],
    )
    aside = [...aside, ...rows.filter((row) => row.new).map(({ update }) => update)]
    seen = String(rows.at(-1)?.id ?? seen)
    size = sizeOf(rows)
    const state = mergeUpdates(rows.map(({ update }) => update))
    await pool.query(
      `WITH own AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended($1, 0))),
            gone AS (DELETE FROM keepsession_updates WHERE document = $1 AND id = ANY($4::bigint[]))
       INSERT INTO keepsession_updates (document, node, update) SELECT $1, $2::uuid, $3 FROM own`,
      [name, node, buffer(state), rows.map(({ id }) => id)],
    )
    size = compacted = state.length
  }

  const commits = groupCommit(async (updates) => {
    await pool.query(
      `WITH own AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended($1, 0)))
       INSERT INTO keepsession_updates (document, node, update) SELECT $1, $2::uuid, part FROM own, unnest($3::bytea[]) AS part`,
      [name, node, updates.map(buffer)],
    )
    for (const { length } of updates) size += length
    if (needsCompaction(size, compacted))
      await compact().catch((error) => say(`${name} could not be compacted: ${error}`))
  })

  return {
    updates: rows.map(({ update }) => update),
    log: {
      get size() {
        return size
      },
      append: commits.append,
      compact: () => commits.exclusively(compact),
      async newer() {
        const { rows } = await pool.query(
          `SELECT id, CASE WHEN node = $3::uuid THEN NULL ELSE update END AS update
           FROM keepsession_updates WHERE document = $1 AND id > $2::bigint ORDER BY id`,
          [name, seen, node],
        )
        seen = String(rows.at(-1)?.id ?? seen)
        const newer = [...aside, ...rows.flatMap(({ update }) => (update === null ? [] : [update]))]
        aside = []
        return newer
      },
      close: ({ compact: isToCompact = false } = {}) =>
        commits.exclusively(async () => {
          if (isToCompact) await compact().catch((error) => say(`${name} could not be compacted: ${error}`))
        }),
    },
  }
}

/** @param {readonly { update: Uint8Array }[]} rows */
function sizeOf(rows) {
  return rows.reduce((sum, { update }) => sum + update.length, 0)
}

/**
 * The bytes in the form that the driver accepts for a `bytea`.
 *
 * @param {Uint8Array} bytes
 */
function buffer(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
