// watch: .p, x
x = () => 1;
x = function () { };
x = class { };
(x) = function () { };
a.p = () => 1;
({ x = () => 1 } = f());
x ??= function () { };
function g() { let x = class { static n = this.name; }; }
