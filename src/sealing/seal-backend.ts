import type { CoreBackend, StorageBackend } from '../contract/backend.ts'
import { isSessionError } from '../contract/errors.ts'
import type { HotRow } from '../contract/rows.ts'
import { valueOfRow } from '../domain/row-value.ts'
import { damagedRow } from '../storage/damaged-row.ts'
import type { Keys } from './open-keys.ts'
import { sealSalvage } from './seal-salvage.ts'
import { sealBlob, unsealBlob } from './sealed-blob.ts'
import { createSealedCommit } from './sealed-commit.ts'
import { midPlace } from './sealed-entry.ts'
import { unsealFound } from './sealed-row.ts'
import { unsealHot, unsealOperation, unsealRows } from './sealed-rows.ts'
import { createSealer, type Sealer } from './sealer.ts'
import { unlessUnsealable, unsealDraft, unsealPlaces, unsealRange } from './unseal-stored.ts'

type SealableBackend = CoreBackend & Partial<Pick<StorageBackend, 'setAside' | 'setRowAside' | 'spareBlob'>>

/**
 * A backend that encrypts its content. It does so outside of the transactions, because these end when anything else is
 * awaited. Each entry is sealed by itself, so that entries can be packed, moved and mirrored as they are. Content that
 * can't be unsealed counts as unreadable.
 */
export function sealBackend<Backend extends SealableBackend>(backend: Backend, keys: Keys): Backend {
  const sealer = createSealer(keys)
  const readRange: CoreBackend['readRange'] = async (read) => {
    const found = await backend.readRange(read)
    return unsealRange(sealer, read.session, found)
  }

  return {
    ...backend,
    loadSession: async (key) => {
      const rows = await backend.loadSession(key)
      return (
        rows &&
        unsealRows(sealer, rows).catch(
          unlessUnsealable(() => {
            throw damagedRow(key, 'hot')
          }),
        )
      )
    },
    listSessions: async (onDamaged) => {
      const rows = await backend.listSessions(onDamaged)
      const open = await Promise.all(
        rows.map((hot) => unsealHot(sealer, hot).catch(unlessUnsealable(() => void onDamaged?.(hot.key)))),
      )
      return open.filter((hot): hot is HotRow => hot !== undefined)
    },
    ...(backend.salvage && { salvage: sealSalvage(backend.salvage, keys, sealer) }),
    readRange,
    ...(backend.readPlaces &&
      ({
        readPlaces: async (asked) => {
          const places = await backend.readPlaces!(asked)
          return Promise.all(places.map((one, i) => one && unsealPlaces(sealer, asked[i]!.session, one)))
        },
      } satisfies Pick<CoreBackend, 'readPlaces'>)),
    findByMid: async (session, mids) => {
      const tokens = await Promise.all(mids.map(async (mid) => [mid, ...(await sealer.tokens(midPlace(session, mid)))]))
      const found = await backend.findByMid(session, [...new Set(tokens.flat())])
      const { entries } = await unsealRange(sealer, session, { entries: found, more: false, unreadable: [] })
      return entries.filter(({ data }) => mids.includes(data['mid'] as string))
    },
    findOperation: async (session, id) => {
      const found = await backend.findOperation(session, id)
      return found && unsealOperation(sealer, session, found).catch(unlessUnsealable(() => undefined))
    },
    loadDrafts: async (session) =>
      Promise.all((await backend.loadDrafts(session)).map((draft) => unsealDraft(sealer, session, draft))),
    getRows: async (collection, keys) => {
      const found = await backend.getRows(collection, keys)
      return Promise.all(found.map((row, i) => unsealFound(sealer, collection, keys[i]!, row)))
    },
    rangeRows: async (read) => {
      const { rows, more } = await backend.rangeRows(read)
      const open = rows.map(async ({ key, row }) => ({
        key,
        row: await unsealFound(sealer, read.collection, key, row),
      }))
      return { rows: await Promise.all(open), more }
    },
    commit: createSealedCommit(backend, keys, sealer),
    putBlob: createSealedPut(backend, keys, sealer),
    getBlob: async (hash) => {
      const blob = await backend.getBlob(hash)
      return blob && unsealBlob(sealer, hash, blob)
    },
    ...(backend.spareBlob && {
      // A copy that can't be unsealed counts as missing.
      spareBlob: async (hash: string) => {
        const blob = await backend.spareBlob!(hash)
        return (
          blob &&
          unsealBlob(sealer, hash, blob).catch((error: unknown) =>
            isSessionError(error, 'ChecksumMismatch') ? undefined : Promise.reject(error),
          )
        )
      },
    }),
    ...(backend.setRowAside && {
      setRowAside: async (collection: string, key: string) => {
        const [row] = await backend.getRows(collection, [key])
        if (row === undefined || valueOfRow(await unsealFound(sealer, collection, key, row)) !== undefined) return false
        return backend.setRowAside!(collection, key, row ?? undefined)
      },
    }),
    ...(backend.setAside && {
      setAside: async (session: number, lane: number, record: string) => {
        const { unreadable } = await readRange({ session, lane, from: record, to: record })
        await backend.setAside!(session, lane, record, unreadable)
      },
    }),
  }
}

/** Whoever changes the keys while a blob is sealed may have looked for old content already: then it is sealed again. */
function createSealedPut(backend: Pick<CoreBackend, 'putBlob'>, keys: Keys, sealer: Sealer): CoreBackend['putBlob'] {
  return async (hash, blob, at) => {
    for (;;) {
      await keys.refresh()
      const { generation } = keys.keyring()
      const stored = sealer.isSealing() ? await sealBlob(sealer, hash, blob) : blob
      try {
        return await backend.putBlob(hash, stored, at, blob.size, generation)
      } catch (error) {
        await keys.refresh()
        if (keys.keyring().generation === generation) throw error
      }
    }
  }
}
