/// <reference path="./pg.d.ts" />
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/**
 * Blobs as rows.
 *
 * @param {import('pg').Pool} pool
 * @returns {import('../store.js').BlobStore}
 */
export function postgresBlobs(pool) {
  return {
    temporary: join(tmpdir(), 'keepsession-uploads'),
    async size(namespace, hash) {
      const { rows } = await pool.query(
        'SELECT length(content) AS size FROM keepsession_blobs WHERE namespace = $1 AND hash = $2',
        [namespace, hash],
      )
      return rows[0]?.size
    },
    async read(namespace, hash) {
      const { rows } = await pool.query('SELECT content FROM keepsession_blobs WHERE namespace = $1 AND hash = $2', [
        namespace,
        hash,
      ])
      return rows[0] === undefined
        ? undefined
        : { size: rows[0].content.length, body: Readable.from([rows[0].content]) }
    },
    async put(namespace, hash, path) {
      await pool.query(
        'INSERT INTO keepsession_blobs (namespace, hash, content) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [namespace, hash, await readFile(path)],
      )
    },
  }
}
