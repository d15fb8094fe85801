/** Every name that a {@link SessionError} can have: when it occurs, and what to do about it. */
export const sessionErrorNames = [
  /** No session has this key or alias (or it was deleted). Create it first, or `undelete` it. */
  'SessionNotFound',
  /** The session has no checkpoint of this id. List the checkpoints and take one of those. */
  'CheckpointNotFound',
  /** The store or session was closed before the call. Open it again. */
  'StorageClosed',
  /** A key or id can't be part of a path of the format being written. Use another name. (Aixgo) */
  'InvalidPathComponent',
  /** The handler runs outside a session. Call it from within one. (Aixgo) */
  'SessionNotInContext',
  /**
   * The data can't be stored as JSON, or doesn't have the required shape; the message says where. Change the data;
   * nothing was written.
   */
  'InvalidInput',
  /** The data is over the limit for one entry. Split it, or store its large parts as blobs; nothing was written. */
  'TooLarge',
  /** The browser gives this origin no more space. Delete or purge sessions, then try again; nothing was written. */
  'QuotaExceeded',
  /** This operation id was used before with other content. Use a new id for new content. */
  'OperationConflict',
  /**
   * Entries were added after the given parent, and the caller asked to be refused then. Read the new tail and decide.
   */
  'ParentMoved',
  /** Another session owns this alias. Choose another alias, or remove it there first. */
  'AliasConflict',
  /** No handler of this name is registered. Register it before the call. (AgentlyMemoSession's `KeyError`) */
  'HandlerMissing',
  /**
   * Stored data no longer matches its checksum. Run `verify`, then `repair`; restore from an export or another device.
   */
  'ChecksumMismatch',
  /** Newer code wrote this database or file. Update the app (reload the page); nothing was touched. */
  'VersionConflict',
  /** Another tab holds the database open in an older version. Close or reload the other tabs. */
  'UpgradeBlocked',
  /** Stored data is gone: evicted, wiped or corrupt. Tell the user; restore from an export or by sync. */
  'DataLoss',
  /**
   * Another tab leads by now, so this write, which only the leader makes, was refused. Stop this work; the new leader
   * does it.
   */
  'NotLeader',
  /**
   * The worker died and could not be replaced in time. Try again: writes carry an operation id, so none is stored
   * twice.
   */
  'WorkerLost',
  /** The caller's signal ended the call. Nothing to do. */
  'Aborted',
  /** The passphrase does not open this store. Ask for it again. */
  'WrongPassphrase',
  /** Content that only this device has would be lost. Let it be sent first, or allow the loss. */
  'Unsent',
  /**
   * The server or the browser refuses access. Check the rights of this user, or the storage settings of the browser.
   */
  'AccessDenied',
  /**
   * Data from elsewhere failed validation and was set aside. See the report of sync; everything else continues without
   * it. No call rejects with it.
   */
  'Quarantined',
  /** No storage could be opened at all. Continue in memory, and tell the user that nothing will be kept. */
  'StorageUnavailable',
] as const

/** One of the closed list {@link sessionErrorNames}. */
export type SessionErrorName = (typeof sessionErrorNames)[number]

/**
 * The only error class of this package. Distinguish errors by `name`, with {@link isSessionError}: the name survives
 * the way out of a worker, the class does not. The message says what was asked, what was found and what to do.
 */
export class SessionError extends Error {
  override readonly name: SessionErrorName

  /** @param options - `cause`: the original error; it does not leave the worker */
  constructor(name: SessionErrorName, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = name
  }
}

/**
 * Whether an error is a {@link SessionError} (of this name). Compares `name` only, so it works on both sides of a
 * worker.
 *
 * @param name - absent: any of {@link sessionErrorNames}
 */
export function isSessionError(error: unknown, name?: SessionErrorName): error is SessionError {
  if (typeof error !== 'object' || error === null || !('name' in error) || !('message' in error)) return false
  return name === undefined ? (sessionErrorNames as readonly unknown[]).includes(error.name) : error.name === name
}

/**
 * Turns an error from a worker, a plain `Error` with one of our names, into a {@link SessionError}. Keeps message,
 * stack and cause; returns anything else as it is.
 */
export function reviveError(error: unknown): unknown {
  if (error instanceof SessionError || !isSessionError(error)) return error
  const revived = new SessionError(error.name, error.message, error)
  if (error.stack !== undefined) revived.stack = error.stack
  return revived
}

/**
 * Restores an error that came from a worker or another tab as its three transferable fields: see {@link reviveError}.
 */
export function errorOfWire(
  { name, message, stack }: { readonly name: string; readonly message: string; readonly stack?: string | undefined },
  cause?: unknown,
): unknown {
  return reviveError(Object.assign(new Error(message, { cause }), { name, stack }))
}
