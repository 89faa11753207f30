# twinrig: every target first sees to it that what it needs is installed (quiet and quick when it is).
#   make demo     a simulated rig scans an object in three passes and makes a model of it: out/demo/model.usdz
#   make check    all tests, optimised as they ship
#   make bench    times of the kernels, with checksums
#   make format   lays out every Swift file as .swift-format says
#   make build    the programs, in .build/release
#   make deb      the Debian package for a board, out/twinrig_*_arm64.deb; ARCH=amd64 for a PC
#   make board-test  boots an emulated arm64 board, installs that package and tests its drivers on kernel GPIO and I²C
#   make deb-test installs, upgrades, removes and purges this machine's package in a Debian of its own; as root
#   make arm64    the programs for a board, in .build/arm64; needs no board and no arm64 machine
SHELL := /bin/bash
export PATH := $(PATH):/opt/swift/usr/bin:/usr/local/swift/usr/bin
SWIFT_FLAGS ?=
ARCH ?= arm64
DEMO_OUTPUT ?= out/demo

.PHONY: build demo check bench deb deb-test board-test arm64 format lint dependencies clean
.NOTPARALLEL:

build: dependencies
	swift build -c release $(SWIFT_FLAGS)

demo: build
	.build/release/twinrig demo --config config/simulated.toml --output $(DEMO_OUTPUT)

# Tests use no @testable, so what they test is the very code that ships. They run one after the other: kernels fill all
# cores, and the socket has to answer in time.
check: dependencies
	swift test -c release --disable-testable-imports --no-parallel $(SWIFT_FLAGS)

bench: build
	.build/release/twinrig-bench kernels

deb:
	packaging/deb --arch $(ARCH)

board-test:
	board/emulated/test

arm64:
	tools/cross/swift build --static-swift-stdlib --product twinrigd
	tools/cross/swift build --static-swift-stdlib --product twinrig

deb-test:
	packaging/deb
	packaging/test

format: dependencies
	swift format -i -r Package.swift Sources Tests

lint: dependencies
	swift format lint --strict -r Package.swift Sources Tests

dependencies:
	@tools/install-dependencies

clean:
	rm -rf .build out
