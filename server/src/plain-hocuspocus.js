// A plain Hocuspocus, to compare with: it is installed with the server only.
export { Server } from '@hocuspocus/server'
