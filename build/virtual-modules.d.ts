/** The address of the session worker as one self-contained script. */
declare module 'virtual:session-worker-url' {
  const url: string | URL
  export default url
}

/** The address of the job worker as one self-contained script. */
declare module 'virtual:job-worker-url' {
  const url: string | URL
  export default url
}

/** The address of the search worker as one self-contained script. */
declare module 'virtual:search-worker-url' {
  const url: string | URL
  export default url
}

/** The address of the sync worker as one self-contained script. */
declare module 'virtual:sync-worker-url' {
  const url: string | URL
  export default url
}
