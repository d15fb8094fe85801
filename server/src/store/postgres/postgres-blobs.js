/// <reference path="./pg.d.ts" />
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'

/**
 * Blobs as rows.
 *
 * @param {import('pg').Pool} pool
 * @param {string} uploads - the folder of uploads
 * @returns {import('../store.js').BlobStore}
 */
export function postgresBlobs(pool, uploads) {
  return {
    temporary: uploads,
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
