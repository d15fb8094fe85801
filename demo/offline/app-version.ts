/** What a build says of the app it made. */
export interface AppVersion {
  /** Changes with any of the files. */
  readonly version: string
  /** Every file but the Service Worker's own, by its path from there. */
  readonly files: readonly string[]
}

/** Absent where modules are replaced while the app runs: then nothing is kept, because it would be stale. */
export const appVersion = (): AppVersion | undefined => (self as { readonly appVersion?: AppVersion }).appVersion
