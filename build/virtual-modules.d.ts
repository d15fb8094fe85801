/** The session worker as one self-contained script: the source of a blob worker. */
declare module 'virtual:session-worker-source' {
  const source: string
  export default source
}

/** The job worker as one self-contained script: the source of a blob worker. */
declare module 'virtual:job-worker-source' {
  const source: string
  export default source
}

/** The search worker as one self-contained script: the source of a blob worker. */
declare module 'virtual:search-worker-source' {
  const source: string
  export default source
}

/** The sync worker as one self-contained script: the source of a blob worker. */
declare module 'virtual:sync-worker-source' {
  const source: string
  export default source
}
