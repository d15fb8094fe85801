/** What a tarball may have at most. */
export const packageLimits = { files: 252, bytes: 1_183_000 }
