/// <reference path="./pg.d.ts" />
import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import pg from 'pg'
import { makeUploadFolder } from '../../blobs/make-upload-folder.js'
import { postgresBlobs } from './postgres-blobs.js'
import { openPostgresLog } from './postgres-log.js'

/** Milliseconds until a database that does not answer counts as failed: the client gets an error and tries again. */
const PATIENCE = 15_000

/** Any number, as long as all nodes use the same one while they create the tables. */
const SCHEMA_LOCK = 4_466

/**
 * Documents and blobs in PostgreSQL. Missing tables are created.
 *
 * @param {import('../../options.js').PostgresOptions} options
 * @param {(message: string) => void} say
 * @returns {Promise<{ store: import('../store.js').DocumentStore, blobs: import('../store.js').BlobStore }>}
 */
export async function openPostgres({ url }, say) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
    keepAlive: true,
  })
  // On connections that nobody uses at the moment. The next query opens a new one.
  pool.on('error', (error) => say(`A connection to PostgreSQL was lost: ${error.message}`))
  /** @type {string} */
  let uploads
  try {
    await makeTables(pool)
    uploads = await makeUploadFolder(say)
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    store: {
      shared: true,
      lost: undefined,
      open: (name) => openPostgresLog(pool, name, say),
      async probe() {
        // A write, because reading works on a full disk and on a standby. One call is one transaction. No document has
        // an empty name, and a row as large as a page fits into no gap.
        await pool.query(`
          INSERT INTO keepsession_updates (document, node, update) VALUES ('', '${randomUUID()}', decode('${randomBytes(8192).toString('hex')}', 'hex'));
          DELETE FROM keepsession_updates WHERE document = '';
        `)
      },
      async close() {
        await pool.end()
        await rm(uploads, { recursive: true, force: true })
      },
    },
    blobs: postgresBlobs(pool, uploads),
  }
}

/** @param {import('pg').Pool} pool */
async function makeTables(pool) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    // Two nodes that start together would both find the tables missing.
    await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    await client.query(`
      CREATE TABLE IF NOT EXISTS keepsession_updates (
        id bigserial PRIMARY KEY, document text NOT NULL, node uuid NOT NULL, update bytea NOT NULL
      );
      CREATE INDEX IF NOT EXISTS keepsession_updates_of ON keepsession_updates (document, id);
      CREATE TABLE IF NOT EXISTS keepsession_blobs (
        namespace text NOT NULL, hash text NOT NULL, content bytea NOT NULL, PRIMARY KEY (namespace, hash)
      );
    `)
    await client.query('COMMIT')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}
