import { isSessionError, type SessionErrorName } from '../../contract/errors.ts'

/** Statuses of errors that a store gives; any other is a 500. */
const statuses: Partial<Record<SessionErrorName, number>> = {
  InvalidInput: 400,
  InvalidPathComponent: 400,
  AccessDenied: 403,
  SessionNotFound: 404,
  ParentMoved: 409,
  OperationConflict: 409,
  AliasConflict: 409,
  TooLarge: 413,
  // Nobody reads it: the client is gone. The number is nginx's.
  Aborted: 499,
  StorageClosed: 503,
  StorageUnavailable: 503,
  UpgradeBlocked: 503,
  VersionConflict: 503,
  WorkerLost: 503,
  QuotaExceeded: 507,
}

/** Why a request is not answered, as the client gets told. */
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

/** What a client may know of an error. What was thrown by mistake is no business of its. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isSessionError(error)) return new Problem(statuses[error.name] ?? 500, error.name, error.message)
  return new Problem(500, 'InternalError', 'The request could not be answered.')
}
