import { resolve } from 'node:path'
import { clearUploads } from '../blobs/clear-uploads.js'
import { folderBlobs } from '../blobs/folder-blobs.js'
import { openFolderStore } from './folder/folder-store.js'

/**
 * Opens the storage that the options name: a folder, or a shared database. The drivers of the databases are loaded only
 * where one is used.
 *
 * @param {import('../options.js').SyncServerOptions} options
 * @param {(message: string) => void} say
 * @returns {Promise<{ store: import('./store.js').DocumentStore, blobs: import('./store.js').BlobStore }>}
 */
export async function openStorage({ data = './data', database }, say) {
  if (database?.kind === 'postgres') return (await import('./postgres/open-postgres.js')).openPostgres(database, say)
  if (database?.kind === 's3') return (await import('./s3/open-s3.js')).openS3(database, say)
  const folder = resolve(data)
  const storage = { store: await openFolderStore(folder, say), blobs: folderBlobs(folder) }
  await clearUploads(storage.blobs.temporary, say)
  return storage
}
