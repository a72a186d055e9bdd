import './import-whole.spec.js';
