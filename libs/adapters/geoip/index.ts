export { MmdbLocations } from './mmdb-locations.js';
