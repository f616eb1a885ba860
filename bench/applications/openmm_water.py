# SPDX-License-Identifier: Apache-2.0
"""OpenMM: molecular dynamics of a box of water, with particle-mesh Ewald."""
import numpy as np
import openmm
from openmm import app, unit

from results import show

field = app.ForceField("tip3p.xml")
modeller = app.Modeller(app.Topology(), [] * unit.nanometers)
modeller.addSolvent(field, boxSize=openmm.Vec3(2.6, 2.6, 2.6) * unit.nanometers, model="tip3p")
for name, options in (("PME", {"nonbondedMethod": app.PME, "nonbondedCutoff": 0.9 * unit.nanometers}),
                      ("cutoff", {"nonbondedMethod": app.CutoffPeriodic, "nonbondedCutoff": 0.9 * unit.nanometers})):
    system = field.createSystem(modeller.topology, constraints=app.HBonds, **options)
    integrator = openmm.LangevinMiddleIntegrator(300 * unit.kelvin, 1 / unit.picosecond, 0.002 * unit.picoseconds)
    integrator.setRandomNumberSeed(5)
    platform = openmm.Platform.getPlatformByName("OpenCL")
    simulation = app.Simulation(modeller.topology, system, integrator, platform,
                                {"Precision": "single"})
    positions = modeller.positions
    simulation.context.setPositions(positions)
    forces = simulation.context.getState(getForces=True, getEnergy=True)
    show(f"forces {name}", np.round(forces.getForces(asNumpy=True)._value, 1))
    simulation.context.setVelocitiesToTemperature(300 * unit.kelvin, 3)
    simulation.step(20)
    after = simulation.context.getState(getPositions=True, getEnergy=True)
    show(f"positions {name}", np.round(after.getPositions(asNumpy=True)._value, 3))
