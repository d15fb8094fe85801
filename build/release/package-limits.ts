/** What a tarball may have at most. 13 kB of it are the tables of docs/performance.md. */
export const packageLimits = { files: 200, bytes: 1_226_500 }
