import { isSessionError, type SessionErrorName } from '../../contract/errors.ts'

/** The HTTP statuses of a store's errors. The chat API's `onError` gets those with 500, because no client can act on them. */
const statuses: Readonly<Record<SessionErrorName, number>> = {
  InvalidInput: 400,
  InvalidPathComponent: 400,
  AccessDenied: 403,
  SessionNotFound: 404,
  CheckpointNotFound: 404,
  ParentMoved: 409,
  OperationConflict: 409,
  AliasConflict: 409,
  TooLarge: 413,
  // Nobody reads this one, because the client has left. The number is nginx's.
  Aborted: 499,
  SessionNotInContext: 500,
  HandlerMissing: 500,
  ChecksumMismatch: 500,
  DataLoss: 500,
  NotLeader: 500,
  WrongPassphrase: 500,
  Unsent: 500,
  Quarantined: 500,
  StorageClosed: 503,
  StorageUnavailable: 503,
  UpgradeBlocked: 503,
  VersionConflict: 503,
  WorkerLost: 503,
  QuotaExceeded: 507,
}

/** The reason why a request is not answered, in the form that the client gets. */
export class Problem extends Error {
  readonly status: number
  override readonly name: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, name: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.name = name
    this.headers = headers
  }
}

/** The part of an error that a client may see. Internal errors are reported without details. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isSessionError(error)) return new Problem(statuses[error.name], error.name, error.message)
  return new Problem(500, 'InternalError', 'The request could not be answered.')
}
