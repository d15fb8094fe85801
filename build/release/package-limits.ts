/** What a tarball may have at most. */
export const packageLimits = { files: 253, bytes: 1_183_000 }
