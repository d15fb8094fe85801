/** What a tarball may have at most. 7 kB of it are the tables of docs/performance.md. */
export const packageLimits = { files: 253, bytes: 1_192_000 }
